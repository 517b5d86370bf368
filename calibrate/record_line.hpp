// The steps of parse_record, for readers of many lines and of other rows that state a
// configuration.
#pragma once

#include <optional>
#include <string>
#include <string_view>

#include "fanin/calibrate/record.hpp"
#include "json_line.hpp"

namespace fanin::calibrate {

/// parse_record with the caller's buffers; `scratch` holds the parsed line afterwards.
std::optional<Record> parse_record_line(std::string_view text, const std::string& where,
                                        JsonLine& scratch);

/// Puts every known field of the line into the record, checked for type and range.
void take_fields(Record& record, const JsonLine& line, const std::string& where);

/// Fills in what follows from other fields, lists in `missing` what does not, and refuses a
/// configuration that contradicts itself. `path` stands in where the line states none.
void complete_configuration(Record& record, const JsonLine& line, const std::string& where,
                            std::optional<model::Path> path);

}  // namespace fanin::calibrate
