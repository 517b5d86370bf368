// Which FFN rank owns an expert, without a division.
#pragma once

#include "fanin/kernels/shape.hpp"

namespace fanin::kernels {

/// expert / local_experts by a multiplication: exact, since experts are fewer than 2^16. Made by
/// the host, for which the division costs nothing.
class OwnerOf {
 public:
  explicit OwnerOf(const Shape& shape) {
    const auto local = static_cast<std::uint32_t>(shape.local_experts());
    reciprocal_ = ((std::uint64_t{1} << 32) + local - 1) / local;
  }
  FANIN_HOST_DEVICE int operator()(int expert) const {
    return static_cast<int>(static_cast<std::uint32_t>(expert) * reciprocal_ >> 32);
  }

 private:
  std::uint64_t reciprocal_;
};

}  // namespace fanin::kernels
