#include "gemm.hpp"

#include <algorithm>

#include "fanin/model/sim/simulator.hpp"

namespace fanin::model {
namespace {

bool is_combine(const KernelSpan& span) {
  return span.kernel == "combine_impl" || span.kernel == "hybrid_combine";
}

}  // namespace

GemmLoad::GemmLoad(const Exchange& exchange, const hw::Profile& profile)
    : solo_us_(exchange.gemm_solo_us),
      on_(exchange.gemm_on),
      launch_wait_(profile.time("gemm.launch_wait")),
      epilogue_slowdown_(profile.value("gemm.epilogue_slowdown")),
      displacement_(profile.value("gemm.displacement")),
      gpu_sms_(static_cast<int>(profile.value("gpu.sms"))) {}

/// Share of the period's SM time that the kernels of `device` work: from when data can come, which
/// is the start of the other role's sending kernel, to their end.
double GemmLoad::busy_share(const SimulationResult& result, int device) const {
  Picoseconds combine_opens = sim::kNever;
  for (const KernelSpan& span : result.kernels) {
    if (span.role == "ffn" && is_combine(span)) combine_opens = std::min(combine_opens, span.start);
  }
  double sm_time = 0.0;
  for (const KernelSpan& span : result.kernels) {
    if (span.device != device) continue;
    const Picoseconds opens = is_combine(span) ? combine_opens : Picoseconds{};
    const Picoseconds works = span.end - std::max(span.start, opens);
    sm_time += std::max(0.0, works.us()) * std::min(span.grid, gpu_sms_);
  }
  return sm_time / (result.exchange.us() * gpu_sms_);
}

std::optional<GemmTimes> GemmLoad::times(const Exchange& exchange,
                                         const SimulationResult& result) const {
  if (solo_us_ <= 0.0) return std::nullopt;
  const auto slowed = [&](int device) {
    return from_us(solo_us_ * (1.0 + displacement_ * busy_share(result, device)));
  };
  GemmTimes times;
  if (on_attention()) times.attention = slowed(exchange.ffn_ranks);
  if (on_ffn()) times.ffn = slowed(0);
  return times;
}

}  // namespace fanin::model
