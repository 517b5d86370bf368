// Partial-order reduction: from each state, a subset of the enabled steps that suffices.
//
// The subset is persistent (Godefroid), computed as a strong stubborn set (Valmari). A set T of
// steps that have not run is closed when
//   - for an enabled step in T, every rival of it (a step that does not commute with it) that has
//     not run is in T, unless `after` makes it wait for the step itself;
//   - for a step in T that is not enabled, T holds all steps of which one must run before it can
//     become enabled: an open predecessor, any step that T has already and that precedes it, or,
//     where a wait is open, everything that can raise the word waited for.
// Then whatever runs outside T commutes with T's enabled steps, and those suffice. Every step runs
// at most once, so the state graph has no cycles and nothing can be ignored for ever.
//
// Why violations survive: whether a step violates depends only on the words it touches exclusively,
// so only on its order relative to steps that conflict with it. The reduced search visits one
// schedule of every class of schedules that differ by swapping commuting neighbours, and all of a
// class agree on that. It visits every state in which nothing is enabled, so deadlocks and
// left-over signals survive too.
#pragma once

#include <vector>

#include "machine.hpp"

namespace fanin::model::safety {

class Reduction {
 public:
  explicit Reduction(const Relations& relations);

  /// Reduces `enabled` (all enabled steps, ascending) to a persistent subset, in place.
  void reduce(const Machine& machine, std::vector<int>& enabled);

 private:
  /// The closure from `seed`; the number of enabled steps in it, or `limit` once it has as many.
  int close(const Machine& machine, int seed, int limit);
  void require_rivals(const Machine& machine, int step);
  void require_enabler(const Machine& machine, int step);
  void require(int step);
  bool follows_member(int step) const;

  const Relations* relations_;
  std::vector<char> member_;
  std::vector<int> members_;  ///< in order of joining; also the work list
  std::vector<int> missing_;  ///< scratch of require_enabler()
  std::vector<int> fewest_;
};

}  // namespace fanin::model::safety
