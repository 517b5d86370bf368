// The ways in which rows are held out: whole sets, and extrapolations that users make.
#pragma once

#include <functional>
#include <string>
#include <vector>

#include "fanin/calibrate/record.hpp"

namespace fanin::calibrate {

struct Split {
  std::string name;
  std::function<bool(const Record&)> held_out;
};

/// "without SET" for each set, then the named splits. Only those that leave rows on both sides.
std::vector<Split> splits_of(const std::vector<Record>& records);

/// Splits whose held-out rows together are every row once; their errors are pooled.
bool is_fold(const Split& split);

}  // namespace fanin::calibrate
