#include "fanin/calibrate/record.hpp"

#include <algorithm>
#include <array>
#include <cmath>
#include <cstdio>

#include "fanin/hw/error.hpp"
#include "record_bindings.hpp"
#include "record_line.hpp"

namespace fanin::calibrate {
namespace {

std::string shortest(double value) {
  std::array<char, 32> text{};
  std::snprintf(text.data(), text.size(), "%.10g", value);
  return text.data();
}

std::string type_name(const FieldSpec& spec) {
  switch (spec.type) {
    case FieldType::text: return "a text";
    case FieldType::integer: return "a whole number";
    case FieldType::number: return "a number";
    case FieldType::boolean: return "true or false";
    case FieldType::numbers: return "a number or a list of numbers";
  }
  return "";
}

bool has_type(const FieldSpec& spec, const LineValue& value) {
  using Kind = LineValue::Kind;
  switch (spec.type) {
    case FieldType::text: return value.kind == Kind::text;
    case FieldType::boolean: return value.kind == Kind::boolean;
    case FieldType::integer:
      return value.kind == Kind::number && value.number == std::floor(value.number);
    case FieldType::number: return value.kind == Kind::number;
    case FieldType::numbers: return value.kind == Kind::number || value.kind == Kind::numbers;
  }
  return false;
}

void check_range(const FieldSpec& spec, double value, const std::string& where) {
  if (value >= spec.low && value <= spec.high) return;
  std::string expected = shortest(spec.low) + " to " + shortest(spec.high);
  if (spec.unit == "us") {
    expected += " microseconds";
    if (value > 0.0)
      expected += value < spec.low ? " (is it in ms or s?)" : " (is it in ns or ps?)";
  }
  throw InputError(where + ": " + std::string(spec.name), shortest(value), expected);
}

void check(const FieldSpec& spec, const LineValue& value, const std::string& where) {
  if (!has_type(spec, value)) {
    throw InputError(where + ": " + std::string(spec.name), "wrong type", type_name(spec));
  }
  if (value.kind == LineValue::Kind::number) check_range(spec, value.number, where);
  if (value.kind == LineValue::Kind::numbers) {
    for (const double number : value.numbers) check_range(spec, number, where);
  }
}

/// `median`, `median_ms`, `repeats_ns` … where the time in microseconds is not given: a number of
/// unknown meaning is worse than none.
void refuse_other_units(const JsonLine& line, const std::string& where) {
  static constexpr std::array<std::string_view, 6> units = {"_ms", "_ns",  "_ps",
                                                            "_s",  "_sec", "_usec"};
  for (const LineValue& value : line.values()) {
    if (find_binding(value.key) != nullptr) continue;
    std::string base = value.key;
    for (const std::string_view unit : units) {
      if (base.ends_with(unit)) {
        base.resize(base.size() - unit.size());
        break;
      }
    }
    const FieldBinding* meant = find_binding(base + "_us");
    if (meant == nullptr || line.find(meant->spec.name) != nullptr) continue;
    throw InputError(where + ": " + value.key, "not in microseconds",
                     std::string(meant->spec.name));
  }
}

bool states(const JsonLine& line, std::string_view name) {
  const LineValue* value = line.find(name);
  return value != nullptr && value->kind != LineValue::Kind::null;
}

void check_repeats(const Record& record, const std::string& where) {
  if (record.repeats_us.empty()) return;
  const auto [least, most] =
      std::minmax_element(record.repeats_us.begin(), record.repeats_us.end());
  // Loose on purpose: a median may come from more blocks than those listed, but not from another
  // unit.
  if (record.median_us >= *least / 10.0 && record.median_us <= *most * 10.0) return;
  throw InputError(where + ": median_us",
                   shortest(record.median_us) + " is far outside of repeats_us",
                   "both in microseconds");
}

}  // namespace

void take_fields(Record& record, const JsonLine& line, const std::string& where) {
  const bool point = states(line, "point");
  for (const LineValue& value : line.values()) {
    if (value.kind == LineValue::Kind::null) continue;
    // When the step of a stamped point happened, not how long an exchange takes.
    if (point && value.key == "median_us") continue;
    const FieldBinding* binding = find_binding(value.key);
    if (binding == nullptr) continue;
    check(binding->spec, value, where);
    const std::string expected = binding->set(record, value);
    if (!expected.empty()) {
      throw InputError(where + ": " + value.key, "'" + value.text + "'", expected);
    }
  }
}

void complete_configuration(Record& record, const JsonLine& line, const std::string& where,
                            std::optional<model::Path> path) {
  model::Exchange& exchange = record.exchange;
  const bool path_known = path.has_value() || states(line, "path");
  if (path && !states(line, "path")) exchange.path = *path;
  const bool nvlink = path_known && exchange.path == model::Path::nvlink;
  const LineValue* stated = states(line, "sources") ? line.find("sources") : nullptr;
  const int sources = stated == nullptr ? 0 : static_cast<int>(stated->number);
  bool attention = states(line, "attention_ranks");
  bool domain = states(line, "gpus_per_domain");
  if (!attention && sources > 0 && path_known && (nvlink || domain)) {
    exchange.attention_ranks = sources * (nvlink ? 1 : exchange.gpus_per_domain);
    attention = true;
  }
  if (!domain && nvlink && attention && states(line, "ffn_ranks")) {
    exchange.gpus_per_domain = exchange.ffn_ranks + exchange.attention_ranks;
    domain = true;
  }
  if (!domain && path_known && !nvlink && attention && sources > 0 &&
      exchange.attention_ranks % sources == 0) {
    exchange.gpus_per_domain = exchange.attention_ranks / sources;
    domain = true;
  }
  if (!states(line, "capacity")) exchange.capacity = std::max(exchange.capacity, exchange.tokens);
  for (const FieldBinding& binding : record_bindings()) {
    const std::string_view name = binding.spec.name;
    if (!binding.spec.configuration || states(line, name)) continue;
    if ((name == "attention_ranks" && attention) || (name == "gpus_per_domain" && domain) ||
        (name == "path" && path_known)) {
      continue;
    }
    record.missing.emplace_back(name);
  }
  if (!record.missing.empty()) return;
  std::string problems;
  for (const std::string& problem : exchange.validate()) {
    problems += (problems.empty() ? "" : " | ") + problem;
  }
  if (!problems.empty()) throw InputError(where, problems);
  if (stated != nullptr && sources != exchange.sources()) {
    throw InputError(
        where + ": sources",
        std::to_string(sources) + ", but the ranks give " + std::to_string(exchange.sources()),
        "attention_ranks / gpus_per_domain, on nvlink attention_ranks");
  }
}

std::optional<Record> parse_record_line(std::string_view text, const std::string& where,
                                        JsonLine& line) {
  line.parse(text, where);
  // A probe's line names the unit of its own figure.
  if (states(line, "figure") && states(line, "unit")) return std::nullopt;
  if (states(line, "point")) return std::nullopt;  // of a timeline
  refuse_other_units(line, where);
  if (!states(line, "median_us")) return std::nullopt;
  Record record;
  take_fields(record, line, where);
  if (record.id.empty()) record.id = where;
  complete_configuration(record, line, where, std::nullopt);
  check_repeats(record, where);
  record.json = text;
  return record;
}

std::optional<Record> parse_record(std::string_view line, const std::string& where) {
  JsonLine scratch;
  return parse_record_line(line, where, scratch);
}

std::optional<FieldValue> Record::field(std::string_view name) const {
  if (std::find(missing.begin(), missing.end(), name) != missing.end()) return std::nullopt;
  const FieldBinding* binding = find_binding(name);
  // `sources` of an incomplete configuration can only be what the line says.
  if (binding != nullptr && (name != "sources" || missing.empty())) return binding->get(*this);
  if (json.empty()) return std::nullopt;
  JsonLine line;
  line.parse(json, id);
  const LineValue* value = line.find(name);
  if (value == nullptr) return std::nullopt;
  switch (value->kind) {
    case LineValue::Kind::boolean: return FieldValue{value->flag};
    case LineValue::Kind::number: return FieldValue{value->number};
    case LineValue::Kind::text: return FieldValue{value->text};
    default: return std::nullopt;
  }
}

void Record::require_configuration() const {
  if (missing.empty()) return;
  std::string names;
  for (const std::string& name : missing) names += (names.empty() ? "" : ", ") + name;
  throw InputError(id, "missing " + names, "the whole configuration");
}

}  // namespace fanin::calibrate
