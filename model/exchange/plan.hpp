// What every half of every GPU needs to know about one exchange: rules, rows, costs, addresses.
#pragma once

#include <cstdint>
#include <vector>

#include "costs.hpp"
#include "fanin/hw/profile.hpp"
#include "fanin/hw/units.hpp"
#include "gemm.hpp"
#include "rules.hpp"
#include "workload.hpp"

namespace fanin::model {

struct Plan {
  Plan(const Exchange& exchange, const hw::Profile& profile, bool all_rails);

  Rules rules;
  HybridCosts costs;
  GemmLoad gemm;
  Workload dispatch;  ///< rows by dispatch channel
  Workload combine;   ///< the same rows by combine channel
  int dispatch_channels;
  int combine_channels;
  int sources;
  int ffn_domains;
  int rails;    ///< simulated
  int gpu_sms;  ///< grid of the epilogue kernels
  Bytes dispatch_row;
  Bytes combine_row;
  Bytes count_write;
  std::vector<std::int32_t> dispatch_context;  ///< by channel
  std::vector<std::int32_t> combine_context;

  int first_attention_nic;  ///< NIC number of the first source's; 0 where every GPU plays both
                            ///< roles

  /// Every domain plays both roles: FFN domains first, each is source and destination of all
  /// others.
  void make_symmetric(Picoseconds barrier);

  const Exchange& exchange() const { return rules.exchange; }
  /// NIC numbers: FFN GPUs first, by (domain, rail); then Attention GPUs, by (source, rail).
  int ffn_nic(int domain, int rail) const { return domain * rails + rail; }
  int attention_nic(int source, int rail) const {
    return first_attention_nic + source * rails + rail;
  }
  bool inline_finish(int rows) const { return rules.inline_empty_finishes && rows == 0; }
};

/// Contexts of the channels of `sms` SMs: channel k of SM m uses q0 + m + (k mod n)·SMs, where of A
/// contexts n = floor(A / SMs) + (1 if m < A mod SMs) are SM m's. With fewer contexts than SMs, SMs
/// share.
std::vector<std::int32_t> contexts_of(int sms, int channels_per_sm, int contexts, int first);

}  // namespace fanin::model
