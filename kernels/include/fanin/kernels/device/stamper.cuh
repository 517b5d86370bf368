// Writes stamps of one warp. Stamper<false> is empty.
#pragma once

#include "fanin/kernels/device/memory.cuh"
#include "fanin/kernels/stamp.hpp"

namespace fanin::kernels::device {

template <bool kStamped>
class Stamper;

template <>
class Stamper<false> {
 public:
  __device__ explicit Stamper(StampRing*) {}
  __device__ void operator()(Point, int) {}
  __device__ void close() {}
};

/// Lane 0 writes, every lane counts. Each launch begins at the ring's first place, so that no warp
/// waits for a count of an earlier one before its first work; the ring is this warp's alone, so
/// nothing is atomic and nothing is waited for.
template <>
class Stamper<true> {
 public:
  __device__ explicit Stamper(StampRing* rings)
      : ring_(rings + (blockIdx.x * blockDim.x + threadIdx.x) / 32) {}

  __device__ void operator()(Point point, int index) {
    if (threadIdx.x % 32 == 0) {
      const std::uint64_t ns = global_ns();
      const uint4 packed{static_cast<std::uint32_t>(ns), static_cast<std::uint32_t>(ns >> 32),
                         static_cast<std::uint32_t>(point), static_cast<std::uint32_t>(index)};
      *reinterpret_cast<uint4*>(&ring_->stamps[written_ % kRingStamps]) = packed;
    }
    ++written_;
  }

  __device__ void close() {
    if (threadIdx.x % 32 == 0 && written_ > 0) ring_->written = written_;
  }

 private:
  StampRing* ring_;
  std::uint32_t written_ = 0;
};

}  // namespace fanin::kernels::device
