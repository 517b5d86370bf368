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
  bool symmetric = false;  ///< every domain plays both roles
  int rails;               ///< simulated
  int gpu_sms;             ///< grid of the epilogue kernels where the exchange does not say
  Bytes dispatch_row;
  Bytes combine_row;
  Bytes count_write;
  std::vector<std::int32_t> dispatch_context;  ///< by channel
  std::vector<std::int32_t> combine_context;

  int ffn_roles;            ///< domains that own experts: the first ones
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
  /// A GPU among all of its role, those on rails that are not simulated included.
  int gpu_number(int domain, int rail) const {
    return domain * rules.exchange.gpus_per_domain + rail;
  }
  int copy_ctas() const { return rules.exchange.copy_ctas.value_or(gpu_sms); }
  int reduce_ctas() const { return rules.exchange.reduce_ctas.value_or(gpu_sms); }
  bool inline_finish(int rows) const { return rules.inline_empty_finishes && rows == 0; }
  /// Does `source` signal the end of a list without rows to `domain`, does `domain` in combine, and
  /// does it send `source` a release?
  bool signals_empty_dispatch(int source, int domain) const {
    return !rules.counts_say_occupancy && !silent(Phase::dispatch, source, domain);
  }
  bool signals_empty_combine(int domain, int source) const {
    return rules.empty_combine_finish != Rules::EmptyCombineFinish::never &&
           !silent(Phase::combine, domain, source);
  }
  bool releases(int domain, int source) const {
    return rules.designated_release && !silent(Phase::combine, domain, source);
  }

 private:
  /// Only a symmetric exchange has silent directions, and it numbers sources as domains.
  bool silent(Phase phase, int from, int to) const {
    return rules.silent(phase, from < ffn_roles, to < ffn_roles);
  }
};

/// Contexts of the channels of `sms` SMs: channel k of SM m uses q0 + m + (k mod n)·SMs, where of A
/// contexts n = floor(A / SMs) + (1 if m < A mod SMs) are SM m's. With fewer contexts than SMs, SMs
/// share.
std::vector<std::int32_t> contexts_of(int sms, int channels_per_sm, int contexts, int first);

}  // namespace fanin::model
