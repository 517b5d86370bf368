// parse_record with the caller's buffers, for reading many lines.
#pragma once

#include <optional>
#include <string>
#include <string_view>

#include "fanin/calibrate/record.hpp"
#include "json_line.hpp"

namespace fanin::calibrate {

/// `scratch` holds the parsed line afterwards.
std::optional<Record> parse_record_line(std::string_view text, const std::string& where,
                                        JsonLine& scratch);

}  // namespace fanin::calibrate
