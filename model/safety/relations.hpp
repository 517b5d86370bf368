// What the steps of a program have to do with each other, computed once.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "fanin/model/safety_program.hpp"

namespace fanin::model::safety {

/// A list for each index, all in one array.
template <typename Item>
class Lists {
 public:
  Lists() = default;
  explicit Lists(const std::vector<std::vector<Item>>& lists) {
    for (const std::vector<Item>& list : lists) {
      items_.insert(items_.end(), list.begin(), list.end());
      ends_.push_back(items_.size());
    }
  }
  std::span<const Item> operator[](int index) const {
    const std::size_t begin = index == 0 ? 0 : ends_[index - 1];
    return {items_.data() + begin, ends_[index] - begin};
  }

 private:
  std::vector<Item> items_;
  std::vector<std::size_t> ends_;
};

struct Relations {
  explicit Relations(const Program& program);

  const Program* program;
  Lists<Effect> effects;  ///< per step
  Lists<Wait> waits;      ///< per step
  Lists<int> successors;  ///< per step: direct, by `after`
  /// Per step: those that do not commute with it and that `after` does not order before or behind
  /// it.
  Lists<int> rivals;
  Lists<int> raisers;  ///< per word: steps that can make a wait on it true
  Lists<int> woken;    ///< per step: those that may become, or stop being, enabled when it runs
};

/// Do the two steps touch a word in a way that makes their order matter? Two adds commute; a wait
/// for "at least" commutes with adds (they never make it false, and only they can make it true).
/// Everything else on a common word does not.
bool conflict(const Step& a, const Step& b);

}  // namespace fanin::model::safety
