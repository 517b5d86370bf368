// Times and rates of an exchange inside one NVLink domain, from the profile's "domain.*"
// parameters.
#pragma once

#include "fanin/hw/profile.hpp"
#include "fanin/hw/units.hpp"

namespace fanin::model {

struct NvlinkCosts {
  explicit NvlinkCosts(const hw::Profile& profile);

  int gpu_sms;
  // Streams
  Picoseconds dispatch_gap;           ///< last kernel of an exchange to the next dispatch
  Picoseconds combine_gap;            ///< copy epilogue to combine
  Picoseconds attention_combine_gap;  ///< dispatch to combine on a GPU without copy epilogue
  Picoseconds idle_epilogue;          ///< an epilogue that has no rows (symmetric)
  // Dispatch
  Picoseconds dispatch_floor;
  double dispatch_constant_us;
  double dispatch_straggler_us;
  GigabytesPerSecond egress;
  GigabytesPerSecond ingress;
  double count_constant_us;
  double count_token_us;
  double count_lag;
  double count_lag_exponent;
  Picoseconds symmetric_dispatch;
  // Copy epilogue
  double expand_constant_us;
  GigabytesPerSecond expand_write;
  GigabytesPerSecond expand_read;
  double expand_smoothing;
  // Combine
  double warp_token_us;
  double warp_row_us;         ///< a row of kReferenceRow bytes that is still in L2
  double warp_row_memory_us;  ///< what it takes more when it comes from memory
  double l2_bytes;
  double combine_straggler_us;
  double combine_straggler_turns;
  double link_constant_us;
  double link_straggler_us;
  GigabytesPerSecond combine_egress;
  GigabytesPerSecond combine_ingress;
  double combine_smoothing;
  double grid_sync_exit_us;
  double symmetric_combine_row_us;
  // Reduce epilogue
  double reduce_constant_us;
  GigabytesPerSecond reduce_rate;
  double collect_view_saving_us;

  /// Size that the warp's row times are stated for: hidden 2048 in BF16.
  static constexpr double kReferenceRow = 4096.0;
};

}  // namespace fanin::model
