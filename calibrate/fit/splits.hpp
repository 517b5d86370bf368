// The ways in which rows are held out: whole sets, and extrapolations that users make.
#pragma once

#include <functional>
#include <string>
#include <vector>

#include "fanin/calibrate/record.hpp"

namespace fanin::calibrate {

enum class Part { fitted, held_out, neither };

struct Split {
  std::string name;
  std::function<Part(const Record&)> part_of;
};

/// "without SET" for each set, then the named splits. Only those that leave rows on both sides.
/// What is neither fitted nor judged differs from the held-out rows in more than the split's name
/// says.
std::vector<Split> splits_of(const std::vector<Record>& records);

/// Splits whose held-out rows together are every row once; their errors are pooled.
bool is_fold(const Split& split);

}  // namespace fanin::calibrate
