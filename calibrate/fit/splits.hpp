// The ways in which rows are held out: whole sets, and extrapolations that users make.
#pragma once

#include <functional>
#include <string>
#include <vector>

#include "fanin/calibrate/record.hpp"

namespace fanin::calibrate {

enum class Part { fitted, held_out, neither, both };

inline bool is_fitted(Part part) { return part == Part::fitted || part == Part::both; }
inline bool is_judged(Part part) { return part == Part::held_out || part == Part::both; }

struct Split {
  std::string name;
  std::function<Part(const Record&)> part_of;
};

/// "without SET" for each set, then the named splits. Only those that leave rows on both sides.
/// `both`: fitted and judged, so the split's errors are in sample. What is neither differs from the
/// held-out rows in more than the split's name says.
std::vector<Split> splits_of(const std::vector<Record>& records);

/// Splits whose held-out rows together are every row once; their errors are pooled.
bool is_fold(const Split& split);

}  // namespace fanin::calibrate
