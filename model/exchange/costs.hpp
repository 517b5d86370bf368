// Times of the hybrid exchange's steps, from the profile's "hybrid.*" and related parameters.
#pragma once

#include "fanin/hw/profile.hpp"
#include "fanin/hw/units.hpp"
#include "fanin/model/sim/server.hpp"

namespace fanin::model {

struct HybridCosts {
  explicit HybridCosts(const hw::Profile& profile);

  Picoseconds kernel_gap;
  Picoseconds grid_sync_cta;  ///< added to a kernel's entry for each of its CTAs
  Picoseconds nvlink_barrier;
  Picoseconds post;  ///< a post holds its queue's lock this long
  // Attention
  Picoseconds dispatch_entry;   ///< kernel start to first post
  Picoseconds dispatch_row;     ///< in the channel's warp
  Picoseconds dispatch_row_sm;  ///< in its SM's server
  Picoseconds dispatch_signal;  ///< in the channel's warp, from the last row to the signal
  bool rows_leave_at_once;      ///< not with the next signal's doorbell
  Picoseconds dispatch_end;     ///< last post to kernel end
  Picoseconds notify;
  Picoseconds finalize;
  Picoseconds collect;
  Picoseconds reduce;  ///< without tokens
  Picoseconds reduce_token;
  GigabytesPerSecond reduce_cta;  ///< of tokens, by one CTA
  // FFN
  Picoseconds forward_entry;
  Picoseconds ffn_notify;
  Picoseconds zero_counts;
  Picoseconds forward_poll;
  sim::Cost forward_row;  ///< in the SM's server
  Picoseconds forward_row_warp;
  Picoseconds forward_first_row;  ///< added to a channel's first row
  Picoseconds dispatch_exit;
  Picoseconds copy_epilogue;  ///< without rows
  double copy_epilogue_row_ns;
  double copy_epilogue_row_memory_ns;  ///< added beyond cached_bytes
  double cached_bytes;
  GigabytesPerSecond copy_epilogue_cta;  ///< of expert rows, by one CTA
  Picoseconds combine_entry;
  sim::Cost nvlink_copy;
  bool link_shared;              ///< by the scale-up warps, which else take turns on it
  Picoseconds combine_round;     ///< in the scale-up warp
  Picoseconds combine_round_sm;  ///< more for each such warp of the SM
  Picoseconds combine_row;
  Picoseconds combine_first_row;  ///< added to a channel's first row
  Picoseconds combine_signal;     ///< in the forward warp, from the last row to the finishes
  Picoseconds combine_row_sm;     ///< in its SM's server
  Picoseconds combine_end;
  Picoseconds complete;
};

}  // namespace fanin::model
