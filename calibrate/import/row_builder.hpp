// Builds the JSON line of an imported record field by field, and turns it into a Record.
#pragma once

#include <nlohmann/json.hpp>
#include <string>

#include "fanin/calibrate/import.hpp"

namespace fanin::calibrate {

/// Text to the type that the field has; throws InputError ("where: field") when it cannot be that.
/// Lists are separated by ';'.
nlohmann::ordered_json typed_value(const std::string& field, const std::string& text,
                                   const std::string& where);

/// Text that must be a finite number; throws InputError like typed_value.
double number_value(const std::string& field, const std::string& text, const std::string& where);

/// Hands a row to the sink as a record, and counts it in the report with what it lacks. Throws
/// InputError like parse_record.
class RowWriter {
 public:
  RowWriter(const RecordSink& sink, ImportReport& report) : sink_(sink), report_(report) {}

  void write(const nlohmann::ordered_json& row, const std::string& where);

 private:
  const RecordSink& sink_;
  ImportReport& report_;
};

}  // namespace fanin::calibrate
