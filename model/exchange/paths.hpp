// One builder for each way that an exchange can travel.
#pragma once

#include "fanin/model/simulate.hpp"

namespace fanin::model {

/// Preconditions of all: exchange.validate() is empty.
SimulationResult simulate_hybrid(const Exchange& exchange, const hw::Profile& profile,
                                 const SimulationOptions& options);
SimulationResult simulate_nvlink(const Exchange& exchange, const hw::Profile& profile,
                                 const SimulationOptions& options);
SimulationResult simulate_direct(const Exchange& exchange, const hw::Profile& profile,
                                 const SimulationOptions& options);
/// Path hybrid, protocol symmetric.
SimulationResult simulate_symmetric(const Exchange& exchange, const hw::Profile& profile,
                                    const SimulationOptions& options);

}  // namespace fanin::model
