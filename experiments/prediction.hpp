// One exchange predicted with a whole profile: point figures from its heaviest member, interval
// from all.
#pragma once

#include <array>
#include <optional>

#include "fanin/hw/profile.hpp"
#include "fanin/model/simulate.hpp"

namespace fanin::experiments {

/// The profile's heaviest member; the profile itself when it has no ensemble.
hw::Profile heaviest(const hw::Profile& profile);

/// [low, high] that 95% of the ensemble's weight lies in: weighted quantiles at 2.5 and 97.5%.
/// nullopt without an ensemble.
std::optional<std::array<double, 2>> weighted_interval(
    const std::vector<std::pair<double, double>>& value_and_weight);

struct Prediction {
  model::SimulationResult result;
  std::optional<std::array<double, 2>> ci95_us;
};

Prediction predict(const model::Exchange& exchange, const hw::Profile& profile,
                   const model::SimulationOptions& options = {});

}  // namespace fanin::experiments
