// Size of one exchange as the kernels see it: plain numbers, the same on host and device.
#pragma once

#include <cstdint>

#include "fanin/kernels/host_device.hpp"

namespace fanin::kernels {

/// Protocol changes that the kernels can run; all off is the baseline. Numbers are those of the
/// fixes.
struct ProtocolOptions {
  bool skip_zero_counts = false;  ///< 2: the FFN does not reduce its own zero counts
  int rotate = 0;            ///< 4: token t of source s rides channel (t + s·rotate) mod C; 0: off
  bool ready_first = false;  ///< 6: the forward warp takes a source that has rows
  bool inline_finish = false;  ///< 9: finishes of channels without a row are 8 B inline writes
};

/// Ranks: FFN ranks 0 … ffn_ranks − 1, then the sources (Attention ranks), one GPU a domain (U =
/// 1).
struct Shape {
  int ffn_ranks = 1;          ///< F, 1 … 32
  int sources = 1;            ///< S, 1 … 32
  int capacity = 2048;        ///< most tokens of a source
  int hidden = 2048;          ///< BF16 elements of a row; a multiple of 8
  int top_k = 8;              ///< 1 … 32
  int experts = 128;          ///< a multiple of ffn_ranks
  int sms = 24;               ///< transport SMs of each rank
  int channels_per_sm = 8;    ///< 1 … 8
  int tail_interval = 3;      ///< tokens between two tail updates of a channel
  int scale_up_interval = 3;  ///< rounds between two tail updates inside the domain, in combine
  int queues = 129;           ///< contexts allocated
  ProtocolOptions options;

  FANIN_HOST_DEVICE constexpr int channels() const { return sms * channels_per_sm; }
  /// Most rows that one source can have on one channel.
  FANIN_HOST_DEVICE constexpr int slots() const { return (capacity + channels() - 1) / channels(); }
  /// Most rows of one channel at an FFN rank.
  FANIN_HOST_DEVICE constexpr int channel_rows() const { return sources * slots(); }
  FANIN_HOST_DEVICE constexpr int local_experts() const { return experts / ffn_ranks; }
  FANIN_HOST_DEVICE constexpr int ranks() const { return ffn_ranks + sources; }
  FANIN_HOST_DEVICE constexpr int rank_of_source(int source) const { return ffn_ranks + source; }

  /// Token 0 … C − 1 that rides `channel` from `source`; the next ones are C further each.
  FANIN_HOST_DEVICE constexpr int first_token(int channel, int source) const {
    const int c = channels();
    const int shift = static_cast<int>(static_cast<std::int64_t>(source) * options.rotate % c);
    return (channel - shift + c) % c;
  }
  FANIN_HOST_DEVICE constexpr int tokens_on(int channel, int source, int tokens) const {
    const int first = first_token(channel, source);
    return tokens > first ? (tokens - first + channels() - 1) / channels() : 0;
  }
};

inline constexpr int kMaxPeers = 32;  ///< one lane of a warp a peer
inline constexpr int kMaxChannelsPerSm = 8;

}  // namespace fanin::kernels
