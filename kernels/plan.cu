#include <algorithm>

#include "fanin/kernels/budget.hpp"
#include "fanin/kernels/config_error.hpp"
#include "role_launcher.cuh"

namespace fanin::kernels {

namespace {

constexpr int kMostStages = 6;

[[noreturn]] void too_large(const char* kernel, std::size_t bytes, int limit) {
  throw ConfigError("hidden, channels_per_sm",
                    std::string("the ") + kernel + " kernel needs " + std::to_string(bytes) +
                        " B of shared memory an SM",
                    "at most " + std::to_string(limit) + " B");
}

}  // namespace

LaunchPlan plan_launches(const RunConfig& config, int nic_sms) {
  int device_id = 0;
  int sms = 0;
  LaunchPlan plan;
  FANIN_CUDA_CHECK(cudaGetDevice(&device_id));
  FANIN_CUDA_CHECK(cudaDeviceGetAttribute(&sms, cudaDevAttrMultiProcessorCount, device_id));
  FANIN_CUDA_CHECK(
      cudaDeviceGetAttribute(&plan.whole_sm, cudaDevAttrMaxSharedMemoryPerBlockOptin, device_id));
  const Shape& shape = config.shape;
  const SmBudget budget = sm_budget(shape, nic_sms, sms);
  if (!budget.fits()) {
    throw ConfigError("transport_sms, sources", "cannot make progress on one GPU: " + budget.sum(),
                      "a sum within the device");
  }
  const int dispatch_row = stage_bytes(layout::dispatch_row_bytes(shape));
  const int combine_row = stage_bytes(layout::combine_row_bytes(shape));
  const auto limit = static_cast<std::size_t>(plan.whole_sm);
  for (plan.stages = kMostStages; plan.stages > 0; --plan.stages) {
    if (roles::attention_dispatch_shared(shape, plan.stages, dispatch_row) <= limit) break;
  }
  if (plan.stages == 0) {
    too_large("Attention dispatch", roles::attention_dispatch_shared(shape, 1, dispatch_row),
              plan.whole_sm);
  }
  if (const auto bytes = roles::ffn_dispatch_shared(rail_view(shape, 0), dispatch_row);
      bytes > limit) {
    too_large("FFN dispatch", bytes, plan.whole_sm);
  }
  if (const auto bytes = roles::ffn_combine_shared(shape, combine_row); bytes > limit) {
    too_large("FFN combine", bytes, plan.whole_sm);
  }
  plan.copy_warps = roles::kMostCopyWarps;
  while (plan.copy_warps > 1 && roles::ffn_copy_shared(plan.copy_warps, dispatch_row) > limit / 2) {
    --plan.copy_warps;
  }
  if (const auto bytes = roles::ffn_copy_shared(plan.copy_warps, dispatch_row); bytes > limit) {
    too_large("FFN copy", bytes, plan.whole_sm);
  }
  const int shared_sms = sms - nic_sms - shape.attention_ranks();
  plan.copy_ctas =
      config.copy_ctas > 0 ? config.copy_ctas : std::max(1, shared_sms / shape.ffn_ranks);
  plan.reduce_ctas = config.reduce_ctas > 0 ? config.reduce_ctas
                                            : std::max(1, budget.free() / shape.attention_ranks());
  plan.limit_ns = static_cast<std::uint64_t>(config.timeout_ms * 1e6);
  return plan;
}

}  // namespace fanin::kernels
