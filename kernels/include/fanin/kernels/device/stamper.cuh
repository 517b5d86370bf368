// Writes stamps of one warp. Stamper<false> is empty.
#pragma once

#include "fanin/kernels/device/memory.cuh"
#include "fanin/kernels/stamp.hpp"

namespace fanin::kernels::device {

/// A stamp is taken in two steps: note() where the event happens reads the clock, and keep() where
/// the warp would wait anyway does the rest, which takes longer. A second note() keeps the one
/// before.
template <bool kStamped>
class Stamper;

template <>
class Stamper<false> {
 public:
  __device__ explicit Stamper(StampRing*) {}
  __device__ void note(Point, int) {}
  __device__ void keep() {}
  __device__ void close() {}
};

/// A warp's last 32 stamps stay in registers, one a lane, and leave together: a store of its own
/// for each would be one more that the protocol's next release waits for. Each launch begins at the
/// ring's first place, so that no warp waits for a count of an earlier one before its first work.
template <>
class Stamper<true> {
 public:
  __device__ explicit Stamper(StampRing* rings) : rings_(rings) {}

  /// Whole warp.
  __device__ void note(Point point, int index) {
    const std::uint64_t ns = global_ns();
    keep();
    noted_ns_ = ns;
    noted_point_ = point;
    noted_index_ = index;
  }

  /// Whole warp.
  __device__ void keep() {
    if (noted_point_ == Point::none) return;
    if (threadIdx.x % kLanes == written_ % kLanes) {
      ns_ = noted_ns_;
      point_ = static_cast<std::uint32_t>(noted_point_);
      index_ = static_cast<std::uint32_t>(noted_index_);
    }
    noted_point_ = Point::none;
    if (++written_ % kLanes == 0) store(kLanes);
  }

  __device__ void close() {
    keep();
    if (written_ == 0) return;
    store(written_ % kLanes);
    if (threadIdx.x % kLanes == 0) ring()->written = written_;
  }

 private:
  static constexpr std::uint32_t kLanes = 32;

  __device__ StampRing* ring() const {
    return rings_ + (blockIdx.x * blockDim.x + threadIdx.x) / kLanes;
  }

  /// The stamps of the first `lanes` lanes, the last of which is stamp written_ - 1.
  __device__ void store(std::uint32_t lanes) const {
    const std::uint32_t lane = threadIdx.x % kLanes;
    if (lane >= lanes) return;
    const uint4 packed{static_cast<std::uint32_t>(ns_), static_cast<std::uint32_t>(ns_ >> 32),
                       point_, index_};
    *reinterpret_cast<uint4*>(&ring()->stamps[(written_ - lanes + lane) % kRingStamps]) = packed;
  }

  StampRing* rings_;
  std::uint64_t noted_ns_ = 0;
  Point noted_point_ = Point::none;
  int noted_index_ = 0;
  std::uint64_t ns_ = 0;
  std::uint32_t point_ = 0;
  std::uint32_t index_ = 0;
  std::uint32_t written_ = 0;
};

}  // namespace fanin::kernels::device
