#include "fanin/calibrate/where.hpp"

#include <algorithm>
#include <cmath>
#include <cstdlib>

#include "fanin/calibrate/record_fields.hpp"
#include "fanin/hw/error.hpp"

namespace fanin::calibrate {
namespace {

std::string_view trim(std::string_view text) {
  const std::size_t first = text.find_first_not_of(" \t");
  if (first == std::string_view::npos) return {};
  return text.substr(first, text.find_last_not_of(" \t") - first + 1);
}

std::vector<std::string_view> split(std::string_view text, char separator) {
  std::vector<std::string_view> parts;
  for (;;) {
    const std::size_t end = text.find(separator);
    parts.push_back(trim(text.substr(0, end)));
    if (end == std::string_view::npos) return parts;
    text.remove_prefix(end + 1);
  }
}

std::optional<double> to_number(const std::string& text) {
  char* end = nullptr;
  const double value = std::strtod(text.c_str(), &end);
  if (text.empty() || end != text.c_str() + text.size() || !std::isfinite(value))
    return std::nullopt;
  return value;
}

[[noreturn]] void fail(std::string_view clause, const std::string& problem,
                       const std::string& expected) {
  throw InputError("--where", "'" + std::string(clause) + "': " + problem, expected);
}

bool equal(const FieldValue& field, const std::string& word) {
  if (const auto* text = std::get_if<std::string>(&field)) return *text == word;
  const auto number = to_number(word);
  if (const auto* held = std::get_if<double>(&field)) return number && *held == *number;
  const bool flag = std::get<bool>(field);
  return flag ? word == "true" || word == "1" : word == "false" || word == "0";
}

}  // namespace

Where Where::parse(std::string_view text) {
  Where where;
  if (trim(text).empty()) return where;
  for (const std::string_view clause : split(text, ',')) {
    const std::size_t at = clause.find_first_of("=!<>");
    if (at == std::string_view::npos)
      fail(clause, "no operator", "field=value, with = != < <= > >=");
    const bool second_equals = clause.substr(at + 1).starts_with('=');
    Clause parsed;
    parsed.field = trim(clause.substr(0, at));
    switch (clause[at]) {
      case '=': parsed.op = Operator::equal; break;
      case '<': parsed.op = second_equals ? Operator::less_equal : Operator::less; break;
      case '>': parsed.op = second_equals ? Operator::greater_equal : Operator::greater; break;
      default:
        if (!second_equals) fail(clause, "'!' alone", "!=");
        parsed.op = Operator::not_equal;
    }
    const bool two = second_equals && clause[at] != '=';
    const std::string_view values = trim(clause.substr(at + (two ? 2 : 1)));
    if (parsed.field.empty()) fail(clause, "no field before the operator", "field=value");
    for (const std::string_view value : split(values, '|')) {
      if (value.empty()) fail(clause, "no value after the operator", "field=value, or field=a|b");
      if (value.find_first_of("=!<>") != std::string_view::npos) {
        fail(clause, "two operators", "clauses separated by commas");
      }
      parsed.values.emplace_back(value);
    }
    if (parsed.op != Operator::equal && parsed.op != Operator::not_equal) {
      const auto number = to_number(parsed.values.front());
      if (parsed.values.size() != 1 || !number)
        fail(clause, "no single number to compare with", "one number after < <= > >=");
      parsed.bound = *number;
    }
    where.clauses_.push_back(std::move(parsed));
  }
  return where;
}

bool Where::matches(const Record& record) const {
  return std::all_of(clauses_.begin(), clauses_.end(), [&](const Clause& clause) {
    const std::optional<FieldValue> field = record.field(clause.field);
    if (!field) return clause.op == Operator::not_equal;
    const bool one_of = std::any_of(clause.values.begin(), clause.values.end(),
                                    [&](const std::string& word) { return equal(*field, word); });
    if (clause.op == Operator::equal) return one_of;
    if (clause.op == Operator::not_equal) return !one_of;
    const auto* number = std::get_if<double>(&*field);
    if (number == nullptr) return false;
    switch (clause.op) {
      case Operator::less: return *number < clause.bound;
      case Operator::less_equal: return *number <= clause.bound;
      case Operator::greater: return *number > clause.bound;
      default: return *number >= clause.bound;
    }
  });
}

std::vector<Record> Where::select(const std::vector<Record>& records) const {
  for (const Clause& clause : clauses_) {
    // A mistyped name would silently select nothing.
    const bool known = clause.op == Operator::not_equal || records.empty() ||
                       find_field(clause.field) != nullptr ||
                       std::any_of(records.begin(), records.end(), [&](const Record& record) {
                         return record.field(clause.field).has_value();
                       });
    if (!known) {
      throw InputError("--where", "no record has a field '" + clause.field + "'",
                       "'" + std::string(nearest_field(clause.field)) + "'?");
    }
  }
  std::vector<Record> selected;
  std::copy_if(records.begin(), records.end(), std::back_inserter(selected),
               [&](const Record& record) { return matches(record); });
  return selected;
}

}  // namespace fanin::calibrate
