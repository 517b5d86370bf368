// Pieces of printed lines.
#pragma once

#include <cstdint>
#include <optional>
#include <string_view>

#include "row_builder.hpp"

namespace fanin::calibrate {

/// What follows the first `key` in `line`; nullopt when it is not there.
std::optional<std::string_view> after(std::string_view line, std::string_view key);

/// The number that follows the first `key`, blanks in between do not count.
std::optional<double> number_after(std::string_view line, std::string_view key);

/// The same when it is a whole number of at most nine digits.
std::optional<int> whole_after(std::string_view line, std::string_view key);

/// The number in front of the first `unit`, as in "12.3 us".
std::optional<double> number_before(std::string_view line, std::string_view unit);

/// `--set` fields put over a row; what the user states wins.
void put_stated(nlohmann::ordered_json& row, const StatedFields& set);

}  // namespace fanin::calibrate
