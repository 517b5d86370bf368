#include "gemm.hpp"

#include <algorithm>

#include "fanin/model/sim/simulator.hpp"

namespace fanin::model {
namespace {

/// Share of the period's SM time that the kernels of `device` work: from when data can come, which
/// is the start of the other role's sending kernel, to their end.
double busy_share(const NvlinkCosts& costs, const SimulationResult& result, int device) {
  Picoseconds combine_opens = sim::kNever;
  for (const KernelSpan& span : result.kernels) {
    if (span.role == "ffn" && span.kernel == "combine_impl")
      combine_opens = std::min(combine_opens, span.start);
  }
  double sm_time = 0.0;
  for (const KernelSpan& span : result.kernels) {
    if (span.device != device) continue;
    const Picoseconds opens = span.kernel == "combine_impl" ? combine_opens : Picoseconds{};
    const Picoseconds works = span.end - std::max(span.start, opens);
    sm_time += std::max(0.0, works.us()) * std::min(span.grid, costs.gpu_sms);
  }
  return sm_time / (result.exchange.us() * costs.gpu_sms);
}

}  // namespace

GemmTimes gemm_times(const Exchange& exchange, const NvlinkCosts& costs,
                     const SimulationResult& result) {
  const auto slowed = [&](int device) {
    return from_us(exchange.gemm_solo_us *
                   (1.0 + costs.gemm_displacement * busy_share(costs, result, device)));
  };
  return {slowed(exchange.ffn_ranks), slowed(0)};
}

}  // namespace fanin::model
