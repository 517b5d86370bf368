#include "row_builder.hpp"

#include <cmath>
#include <cstdlib>
#include <optional>

#include "fanin/calibrate/record_fields.hpp"
#include "fanin/hw/error.hpp"

namespace fanin::calibrate {
namespace {

using Json = nlohmann::ordered_json;

/// The whole text as a finite decimal number. strtod alone would also take "nan" and "0x1p3".
std::optional<double> number(const std::string& text) {
  if (text.empty() || text.find_first_not_of("0123456789+-.eE") != std::string::npos)
    return std::nullopt;
  char* end = nullptr;
  const double value = std::strtod(text.c_str(), &end);
  if (end != text.c_str() + text.size() || !std::isfinite(value)) return std::nullopt;
  return value;
}

/// Whole numbers without a fraction, so that "24" does not come out as 24.0.
Json to_json(double value) {
  constexpr double kExact = 9007199254740992.0;
  if (value == std::floor(value) && std::abs(value) < kExact)
    return static_cast<std::int64_t>(value);
  return value;
}

Json list(const std::string& text, const std::string& place) {
  Json result = Json::array();
  std::size_t from = 0;
  while (from <= text.size()) {
    const std::size_t to = std::min(text.find(';', from), text.size());
    const std::string item = text.substr(from, to - from);
    const auto value = number(item);
    if (!value) throw InputError(place, "'" + item + "'", "numbers separated by ;");
    result.push_back(to_json(*value));
    from = to + 1;
  }
  return result;
}

}  // namespace

Json typed_value(const std::string& field, const std::string& text, const std::string& where) {
  const std::string place = where + ": " + field;
  const FieldSpec* spec = find_field(field);
  const auto value = number(text);
  const bool yes = text == "true" || text == "True";
  const bool no = text == "false" || text == "False";
  if (spec == nullptr) {
    if (value) return to_json(*value);
    if (yes || no) return yes;
    return text;
  }
  switch (spec->type) {
    case FieldType::text: return text;
    case FieldType::boolean:
      if (yes || no || text == "1" || text == "0") return yes || text == "1";
      throw InputError(place, "'" + text + "'", "true or false");
    case FieldType::numbers: return list(text, place);
    default:
      if (!value) throw InputError(place, "'" + text + "'", "a finite number");
      return to_json(*value);
  }
}

double number_value(const std::string& field, const std::string& text, const std::string& where) {
  const auto value = number(text);
  if (!value) throw InputError(where + ": " + field, "'" + text + "'", "a finite number");
  return *value;
}

void RowWriter::write(const Json& row, const std::string& where) {
  const std::string line = row.dump(-1, ' ', false, Json::error_handler_t::replace);
  const std::optional<Record> record = parse_record(line, where);
  if (!record) {
    ++report_.skipped["no median_us"];
    return;
  }
  ++report_.records;
  for (const std::string& field : record->missing) ++report_.missing[field];
  if (record->cluster.empty()) ++report_.missing["cluster"];
  sink_(*record);
}

}  // namespace fanin::calibrate
