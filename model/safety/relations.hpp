// What the steps of a program have to do with each other, computed once.
#pragma once

#include <cstdint>
#include <vector>

#include "fanin/model/safety_program.hpp"

namespace fanin::model::safety {

struct Relations {
  explicit Relations(const Program& program);

  const Program* program;
  std::vector<std::vector<int>> successors;  ///< direct, by `after`
  /// Steps that do not commute with this one and that `after` does not order before or behind it.
  std::vector<std::vector<int>> rivals;
  /// Per word: steps that can make a wait on it true, steps that wait for it.
  std::vector<std::vector<int>> raisers;
  std::vector<std::vector<int>> waiters;
};

/// Do the two steps touch a word in a way that makes their order matter? Two adds commute; a wait
/// for "at least" commutes with adds (they never make it false, and only they can make it true).
/// Everything else on a common word does not.
bool conflict(const Step& a, const Step& b);

}  // namespace fanin::model::safety
