// Which tokens of a source ride a channel, for kernels: Shape's rule with its divisions done once,
// by the host.
#pragma once

#include "fanin/kernels/shape.hpp"

namespace fanin::kernels {

class TokenShare {
 public:
  TokenShare(const Shape& shape, int source, int tokens)
      : channels_(shape.channels()),
        shift_(shape.first_token(0, source) == 0 ? 0 : channels_ - shape.first_token(0, source)),
        each_(tokens / channels_),
        rest_(tokens % channels_) {}

  FANIN_HOST_DEVICE constexpr int channels() const { return channels_; }
  /// The channel's first token, 0 … C − 1; the next ones are C further each.
  FANIN_HOST_DEVICE constexpr int first(int channel) const {
    return channel >= shift_ ? channel - shift_ : channel - shift_ + channels_;
  }
  /// Tokens of the channel whose first one is `first_token`.
  FANIN_HOST_DEVICE constexpr int count(int first_token) const {
    return each_ + (first_token < rest_ ? 1 : 0);
  }

 private:
  int channels_;
  int shift_;
  int each_;
  int rest_;
};

}  // namespace fanin::kernels
