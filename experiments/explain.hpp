// What bounds an exchange, and what would bound it next.
#pragma once

#include <string>
#include <vector>

#include "fanin/hw/profile.hpp"
#include "fanin/model/simulate.hpp"

namespace fanin::experiments {

/// One resource's part in an exchange.
struct Bound {
  std::string resource;
  Picoseconds share;  ///< of the critical path
  Picoseconds gain;   ///< how much shorter the exchange is when the resource costs nothing
  std::string next;   ///< resource whose share grows the most then; empty when none grows
};

/// The resources of the critical path that have a cost to take away, largest gain first. Each is
/// one more simulation.
std::vector<Bound> bounds_of(const model::Exchange& exchange, const hw::Profile& profile,
                             const model::SimulationResult& result);

/// Sentences for --explain.
std::string explain(const model::Exchange& exchange, const hw::Profile& profile,
                    const model::SimulationResult& result);

}  // namespace fanin::experiments
