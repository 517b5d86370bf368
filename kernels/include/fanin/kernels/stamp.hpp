// In-kernel time stamps at the protocol's own points. A warp writes its stamps to a ring of its
// own; kernels built without stamps contain none of it.
#pragma once

#include <cstdint>

namespace fanin::kernels {

enum class Point : std::int32_t {
  none,
  counts_posted,
  row_posted,     ///< index: row of the channel
  finish_posted,  ///< index: channel
  counts_seen,
  tail_seen,      ///< index: source; a tail that the forward warp had not seen before
  row_forwarded,  ///< index: row of the channel
  channel_done,   ///< index: channel; all sources' finishes seen, tails cleared
  barrier_passed,
  row_returned,           ///< index: row of the channel
  combine_finish_posted,  ///< index: channel
};

struct Stamp {
  std::uint64_t ns;  ///< global timer
  Point point;
  std::int32_t index;
};
static_assert(sizeof(Stamp) == 16, "written by one 16-byte store");

/// One warp's ring: `written` counts the stamps of the last launch, of which the last kRingStamps
/// are kept.
inline constexpr int kRingStamps = 256;
struct StampRing {
  std::uint64_t written;
  std::uint64_t unused;
  Stamp stamps[kRingStamps];
};

const char* to_string(Point);

}  // namespace fanin::kernels
