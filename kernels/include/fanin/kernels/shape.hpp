// Size of one exchange as the kernels see it: plain numbers, the same on host and device.
#pragma once

#include <cstdint>

#include "fanin/kernels/host_device.hpp"

namespace fanin::kernels {

/// Protocol changes that the kernels can run; all off is the baseline. Numbers are those of the
/// fixes.
struct ProtocolOptions {
  bool skip_zero_counts = false;  ///< 2: the FFN does not reduce its own zero counts
  /// 4: token t of source s rides channel (t + s·rotate − rail_shift) mod C; both 0: off
  int rotate = 0;
  int rail_shift = 0;          ///< 0 … C − 1; only where rail_view sets it
  bool ready_first = false;    ///< 6: the forward warp takes a source that has rows
  bool inline_finish = false;  ///< 9: finishes of channels without a row are 8 B inline writes
};

/// Ranks: FFN ranks 0 … ffn_ranks − 1, then the Attention ranks; of each role, domain·U + rail.
struct Shape {
  int ffn_ranks = 1;          ///< FFN GPUs of all domains, 1 … 32
  int sources = 1;            ///< S, Attention domains of U GPUs each, 1 … 32
  int capacity = 2048;        ///< most tokens of an Attention rank
  int hidden = 2048;          ///< BF16 elements of a row; a multiple of 8
  int top_k = 8;              ///< 1 … 32
  int experts = 128;          ///< a multiple of ffn_ranks
  int sms = 24;               ///< transport SMs of each rank
  int channels_per_sm = 8;    ///< 1 … 8
  int tail_interval = 3;      ///< tokens between two tail updates of a channel
  int scale_up_interval = 3;  ///< rounds between two tail updates inside the domain, in combine
  int queues = 129;           ///< contexts allocated
  ProtocolOptions options;
  int gpus_per_domain = 1;  ///< U, 1 … kMaxRails: virtual GPUs, each with SMs of its own

  FANIN_HOST_DEVICE constexpr int channels() const { return sms * channels_per_sm; }
  /// Most rows that one source can have on one channel.
  FANIN_HOST_DEVICE constexpr int slots() const { return (capacity + channels() - 1) / channels(); }
  /// Most rows of one channel at an FFN rank.
  FANIN_HOST_DEVICE constexpr int channel_rows() const { return sources * slots(); }
  FANIN_HOST_DEVICE constexpr int local_experts() const { return experts / ffn_ranks; }
  FANIN_HOST_DEVICE constexpr int ffn_domains() const { return ffn_ranks / gpus_per_domain; }
  FANIN_HOST_DEVICE constexpr int attention_ranks() const { return sources * gpus_per_domain; }
  FANIN_HOST_DEVICE constexpr int ranks() const { return ffn_ranks + attention_ranks(); }
  /// `source`: an Attention rank, 0 … S·U − 1; on one rail (rail_view) these are the sources.
  FANIN_HOST_DEVICE constexpr int rank_of_source(int source) const { return ffn_ranks + source; }

  /// Token 0 … C − 1 that rides `channel` from `source`; the next ones are C further each.
  FANIN_HOST_DEVICE constexpr int first_token(int channel, int source) const {
    const int c = channels();
    const int shift = static_cast<int>(static_cast<std::int64_t>(source) * options.rotate % c);
    return (channel - shift + options.rail_shift + c) % c;
  }
  FANIN_HOST_DEVICE constexpr int tokens_on(int channel, int source, int tokens) const {
    const int first = first_token(channel, source);
    return tokens > first ? (tokens - first + channels() - 1) / channels() : 0;
  }
};

inline constexpr int kMaxPeers = 32;  ///< one lane of a warp a peer
inline constexpr int kMaxRails = 8;
inline constexpr int kMaxChannelsPerSm = 8;

/// The exchange as one rail sees it: one GPU a domain. Each "FFN rank" is a domain's GPU of this
/// rail, and owns the experts of the whole domain; the sources are the Attention GPUs of the rail.
/// Fix 4 shifts Attention rank r by r·rotate.
constexpr Shape rail_view(const Shape& shape, int rail) {
  const int channels = shape.channels();
  const auto shift_of = [&](int ranks) {
    return static_cast<int>(std::int64_t{ranks} * shape.options.rotate % channels);
  };
  Shape out = shape;
  out.ffn_ranks = shape.ffn_domains();
  out.gpus_per_domain = 1;
  out.options.rotate = shift_of(shape.gpus_per_domain);
  out.options.rail_shift = (channels - shift_of(rail)) % channels;
  return out;
}

/// What an FFN GPU receives inside its domain: U·C lists of rows, list rail·C + channel from the
/// forward warp of that channel at the rail's GPU. A list is as long as a channel of a rail can be.
constexpr Shape member_view(const Shape& shape) {
  Shape out = shape;
  out.sms *= shape.gpus_per_domain;
  out.capacity *= shape.gpus_per_domain;
  out.gpus_per_domain = 1;
  return out;
}

}  // namespace fanin::kernels
