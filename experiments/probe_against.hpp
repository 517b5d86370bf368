// Whether a second probe of a machine agrees with an earlier one.
#pragma once

#include <array>
#include <map>
#include <string>

namespace fanin::experiments {

/// 95% intervals of an earlier probe's figures, by name.
using EarlierProbe = std::map<std::string, std::array<double, 2>>;

/// Reads what `probe --records` wrote; lines without a figure are passed over. Throws InputError
/// with file and line for one that is no JSON object or whose interval is no pair of numbers in
/// order, and when no line has a figure.
EarlierProbe read_probe(const std::string& path);

bool overlap(const std::array<double, 2>& a, const std::array<double, 2>& b);

}  // namespace fanin::experiments
