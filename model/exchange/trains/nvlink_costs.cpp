#include "nvlink_costs.hpp"

namespace fanin::model {

NvlinkCosts::NvlinkCosts(const hw::Profile& profile)
    : gpu_sms(static_cast<int>(profile.value("gpu.sms"))),
      dispatch_gap(profile.time("domain.dispatch_gap")),
      combine_gap(profile.time("domain.combine_gap")),
      attention_combine_gap(profile.time("domain.attention_combine_gap")),
      idle_epilogue(profile.time("domain.idle_epilogue")),
      dispatch_floor(profile.time("domain.dispatch_floor")),
      dispatch_constant_us(profile.value("domain.dispatch_constant")),
      dispatch_straggler_us(profile.value("domain.dispatch_straggler")),
      egress{profile.value("nvlink.egress_rate")},
      ingress{profile.value("nvlink.ingress_rate")},
      count_constant_us(profile.value("domain.count_constant")),
      count_token_us(profile.value("domain.count_token") * 1e-3),
      count_lag(profile.value("domain.count_lag")),
      count_lag_exponent(profile.value("domain.count_lag_exponent")),
      symmetric_dispatch(profile.time("domain.symmetric_dispatch")),
      expand_constant_us(profile.value("domain.copy_epilogue_constant")),
      expand_write{profile.value("domain.copy_epilogue_write")},
      expand_read{profile.value("domain.copy_epilogue_read")},
      expand_smoothing(profile.value("domain.copy_epilogue_smoothing")),
      warp_token_us(profile.value("domain.combine_warp_token")),
      warp_row_us(profile.value("domain.combine_warp_row")),
      warp_row_memory_us(profile.value("domain.combine_warp_row_memory")),
      l2_bytes(profile.value("domain.combine_l2")),
      combine_straggler_us(profile.value("domain.combine_straggler")),
      combine_straggler_turns(profile.value("domain.combine_straggler_turns")),
      link_constant_us(profile.value("domain.combine_link_constant")),
      link_straggler_us(profile.value("domain.combine_link_straggler")),
      combine_egress{profile.value("domain.combine_ffn_egress")},
      combine_ingress{profile.value("domain.combine_attention_ingress")},
      combine_smoothing(profile.value("domain.combine_smoothing")),
      grid_sync_exit_us(profile.value("domain.grid_sync_exit")),
      symmetric_combine_row_us(profile.value("domain.symmetric_combine_row")),
      reduce_constant_us(profile.value("domain.reduce_epilogue_constant")),
      reduce_rate{profile.value("domain.reduce_epilogue_rate")},
      collect_view_saving_us(profile.value("domain.collect_view_saving")) {}

}  // namespace fanin::model
