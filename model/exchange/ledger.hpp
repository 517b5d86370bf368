// Operation counts by NIC, direction, phase and kind, for each exchange of a run.
#pragma once

#include <array>
#include <cstdint>
#include <map>
#include <string>
#include <vector>

#include "fanin/model/operations.hpp"

namespace fanin::model {

/// Counts what the first FFN GPU's and the first Attention GPU's NICs are asked to do.
class Ledger {
 public:
  void count(int round, NicSide side, Phase phase, Verb verb) {
    const auto index = static_cast<std::size_t>(round);
    if (index >= rounds_.size()) rounds_.resize(index + 1);
    ++rounds_[index][static_cast<std::size_t>(side)][static_cast<std::size_t>(phase)]
             [static_cast<std::size_t>(verb)];
  }
  OperationCounts of_round(int round) const;

 private:
  using Table = std::array<std::array<std::array<std::int64_t, kVerbs>, kPhases>, kNicSides>;
  std::vector<Table> rounds_;
};

}  // namespace fanin::model
