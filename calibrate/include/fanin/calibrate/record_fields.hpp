// The fields that a record may have: names, types, units and ranges. record.schema.json states the
// same list; a test compares the two.
#pragma once

#include <span>
#include <string_view>

namespace fanin::calibrate {

enum class FieldType { text, integer, number, boolean, numbers };

struct FieldSpec {
  std::string_view name;
  FieldType type;
  std::string_view unit;     ///< "us", "count" or "" for what has none
  double low;                ///< smallest number accepted
  double high;               ///< largest number accepted
  bool configuration;        ///< has no default, and a prediction needs it
  std::string_view meaning;  ///< one sentence; for texts the words accepted
};

/// Every known field, sorted by name. Other fields of a line are kept as they are.
std::span<const FieldSpec> record_fields();

/// nullptr when the name is not a known field.
const FieldSpec* find_field(std::string_view name);

/// The known field with the smallest edit distance, for error messages.
std::string_view nearest_field(std::string_view name);

}  // namespace fanin::calibrate
