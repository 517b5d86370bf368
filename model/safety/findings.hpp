// Collects the violations that a search meets and keeps the shortest schedule.
#pragma once

#include <cstdint>
#include <optional>
#include <vector>

#include "machine.hpp"

namespace fanin::model::safety {

class Findings {
 public:
  explicit Findings(const Relations& relations) : relations_(&relations) {}

  /// `schedule` ran from the start and violates at its last step, or, for a violation at the end,
  /// with no step left to run.
  void add(const std::vector<int>& schedule);

  std::uint64_t count() const { return count_; }
  std::optional<Counterexample> shortest() const;

 private:
  const Relations* relations_;
  std::uint64_t count_ = 0;
  std::vector<int> shortest_;
  Violation violation_;
};

/// The steps of `schedule` without which its last step would not violate: those that precede it,
/// through `after` and through conflicts and enabling in the order of the schedule. Same order.
std::vector<int> causes_of_last(const Relations& relations, const std::vector<int>& schedule);

}  // namespace fanin::model::safety
