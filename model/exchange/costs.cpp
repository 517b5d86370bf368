#include "costs.hpp"

namespace fanin::model {

HybridCosts::HybridCosts(const hw::Profile& profile)
    : kernel_gap(profile.time("hybrid.kernel_gap")),
      grid_sync_cta(profile.time("gpu.grid_sync_cta")),
      nvlink_barrier(profile.time("nvlink.barrier")),
      post(profile.time("nic.queue.lock")),
      dispatch_entry(profile.time("hybrid.constant")),
      dispatch_row(profile.time("hybrid.dispatch_row")),
      dispatch_row_sm(profile.time("hybrid.dispatch_row_sm")),
      dispatch_end(profile.time("hybrid.dispatch_exit_attention")),
      notify(profile.time("hybrid.notify")),
      finalize(profile.time("hybrid.source_finalize")),
      collect(profile.time("hybrid.collect")),
      reduce(profile.time("hybrid.reduce_constant")),
      reduce_token(profile.time("hybrid.reduce_token")),
      forward_entry(profile.time("hybrid.forward_entry")),
      ffn_notify(profile.time("hybrid.notify_ffn")),
      zero_counts(profile.time("hybrid.notify_zero_counts")),
      forward_poll(profile.time("hybrid.forward_poll")),
      forward_row{profile.time("hybrid.forward_row"), {profile.value("hybrid.forward_rate")}},
      forward_row_warp(profile.time("hybrid.forward_row_warp")),
      forward_first_row(profile.time("hybrid.forward_first_row")),
      dispatch_exit(profile.time("hybrid.dispatch_exit")),
      copy_epilogue(profile.time("hybrid.copy_epilogue_constant")),
      copy_epilogue_row_ns(profile.value("hybrid.copy_epilogue_row")),
      copy_epilogue_row_memory_ns(profile.value("hybrid.copy_epilogue_row_memory")),
      cached_bytes(profile.value("hybrid.cached_bytes")),
      combine_entry(profile.time("hybrid.combine_entry")),
      nvlink_copy{profile.time("hybrid.combine_nvlink_row"),
                  {profile.value("hybrid.combine_nvlink_rate")}},
      combine_round(profile.time("hybrid.combine_round")),
      combine_round_sm(profile.time("hybrid.combine_round_sm")),
      combine_row(profile.time("hybrid.combine_chain_row")),
      combine_first_row(profile.time("hybrid.combine_first_row")),
      combine_row_sm(profile.time("hybrid.combine_row_sm")),
      combine_end(profile.time("hybrid.combine_exit")),
      complete(profile.time("hybrid.complete")) {}

}  // namespace fanin::model
