// Each known field of a record bound to the member that holds it.
#pragma once

#include <optional>
#include <span>
#include <string>

#include "fanin/calibrate/record.hpp"
#include "fanin/calibrate/record_fields.hpp"
#include "json_line.hpp"

namespace fanin::calibrate {

struct FieldBinding {
  FieldSpec spec;
  /// Puts a value of the right type and range in place. Returns what else was expected, or "".
  std::string (*set)(Record&, const LineValue&);
  /// The member, or its default; nullopt when the record has none.
  std::optional<FieldValue> (*get)(const Record&);
};

/// Sorted by name.
std::span<const FieldBinding> record_bindings();

const FieldBinding* find_binding(std::string_view name);

}  // namespace fanin::calibrate
