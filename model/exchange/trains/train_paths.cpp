#include "../paths.hpp"
#include "direct_plan.hpp"
#include "gemm.hpp"
#include "nvlink_plan.hpp"
#include "train_exchange.hpp"

namespace fanin::model {

SimulationResult simulate_nvlink(const Exchange& exchange, const hw::Profile& profile,
                                 const SimulationOptions& options) {
  const NvlinkPlan plan(exchange, profile);
  SimulationResult result = run_trains(plan, options);
  if (plan.beside_gemm()) result.gemm = gemm_times(exchange, plan.costs(), result);
  return result;
}

SimulationResult simulate_direct(const Exchange& exchange, const hw::Profile& profile,
                                 const SimulationOptions& options) {
  return run_trains(DirectPlan(exchange, profile), options);
}

}  // namespace fanin::model
