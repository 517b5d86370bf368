#include "../paths.hpp"
#include "direct_plan.hpp"
#include "nvlink_plan.hpp"
#include "train_exchange.hpp"

namespace fanin::model {

SimulationResult simulate_nvlink(const Exchange& exchange, const hw::Profile& profile,
                                 const SimulationOptions& options) {
  return run_trains(NvlinkPlan(exchange, profile), options);
}

SimulationResult simulate_direct(const Exchange& exchange, const hw::Profile& profile,
                                 const SimulationOptions& options) {
  return run_trains(DirectPlan(exchange, profile), options);
}

}  // namespace fanin::model
