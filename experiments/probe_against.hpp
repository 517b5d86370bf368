// Whether a second probe of a machine agrees with an earlier one.
#pragma once

#include <array>
#include <map>
#include <string>
#include <vector>

#include "output.hpp"

namespace fanin::experiments {

/// 95% intervals of an earlier probe's figures, by name.
using EarlierProbe = std::map<std::string, std::array<double, 2>>;

/// Reads what `probe --records` wrote; lines without a figure are passed over. Throws InputError
/// with file and line for one that is no JSON object or whose interval is no pair of numbers in
/// order, and when no line has a figure.
EarlierProbe read_probe(const std::string& path);

/// Which figures of this run lie apart from an earlier one's.
struct Comparison {
  EarlierProbe earlier;  ///< empty: nothing is compared
  std::size_t compared = 0;
  std::vector<std::string> differing;

  void add(const std::string& figure, const std::array<double, 2>& ci95);
  void add_to(Json& result) const;
  void print(const std::string& path) const;
};

bool overlap(const std::array<double, 2>& a, const std::array<double, 2>& b);

}  // namespace fanin::experiments
