// Completion times of one block of operations, two a lane: a parallel scan where service depends on
// nothing that came earlier, one thread through nic_schedule.hpp's rule where it does.
#pragma once

#include "nic_clock.cuh"
#include "nic_engine.cuh"

namespace fanin::kernels::nic {

/// Not an arrival: keeps an empty place of a block out of the maximum.
inline constexpr std::int32_t kNoArrival = -(1 << 30);

/// When a server ends everything so far, in ticks of the device timer.
struct Clock {
  long long free = 0;

  /// Keeps `free` within reach of 32-bit differences. A server that idles does not care how long
  /// ago it became free, and one that is 4 ms behind its schedule serves at its own pace anyway.
  __device__ void follow(std::uint64_t now_ns) {
    constexpr long long kReach = 1ll << 22;
    const long long now = static_cast<long long>(now_ns);
    if (now - free / kTicksPerNs > kReach) free = (now - kReach / 2) * kTicksPerNs;
  }

  /// A time stamp in ticks after `free`.
  __device__ std::int32_t since_free(std::uint32_t ns) const {
    constexpr std::int32_t kLimit = 1 << 24;
    const std::int32_t apart =
        static_cast<std::int32_t>(ns - static_cast<std::uint32_t>(free / kTicksPerNs));
    return min(max(apart, -kLimit), kLimit - 1) * kTicksPerNs -
           static_cast<std::int32_t>(free % kTicksPerNs);
  }

  /// The device timer's time, and this SM's cycle, that many ticks after `free`.
  __device__ std::uint64_t ns(std::int32_t ticks) const {
    return static_cast<std::uint64_t>((free + ticks) / kTicksPerNs);
  }
  __device__ long long cycle(const SmClock& clock, std::int32_t ticks) const {
    return clock.at<kTicksPerNs>(free + ticks);
  }
};

/// Whole warp; lane l holds operations 2l and 2l + 1. Arrivals and completions in ticks after the
/// server's `free`. completion = max(arrival, previous completion) + service, for all at once:
/// completion(i) = sum of service up to i + max(0, arrival(j) − sum of service before j; j ≤ i).
__device__ __forceinline__ void scan_block(const std::int32_t (&arrival)[2],
                                           const std::int32_t (&service)[2],
                                           std::int32_t (&done)[2]) {
  const int lane = static_cast<int>(threadIdx.x) % 32;
  const std::int32_t both = service[0] + service[1];
  std::int32_t sum = both;
#pragma unroll
  for (int step = 1; step < 32; step *= 2) {
    const std::int32_t other = __shfl_up_sync(kAllLanes, sum, step);
    if (lane >= step) sum += other;
  }
  const std::int32_t before = sum - both;
  const std::int32_t idle0 = arrival[0] - before;
  const std::int32_t idle1 = arrival[1] - before - service[0];
  std::int32_t idle = 0;
  if (__any_sync(kAllLanes, max(idle0, idle1) > 0)) {
    std::int32_t most = max(idle0, idle1);
#pragma unroll
    for (int step = 1; step < 32; step *= 2) {
      const std::int32_t other = __shfl_up_sync(kAllLanes, most, step);
      if (lane >= step) most = max(most, other);
    }
    const std::int32_t earlier = __shfl_up_sync(kAllLanes, most, 1);
    if (lane > 0) idle = max(earlier, 0);
  }
  done[0] = before + service[0] + max(idle, idle0);
  done[1] = before + both + max(idle, max(idle0, idle1));
}

/// Whole warp: what the lane that holds the last of `count` ≥ 1 operations has.
__device__ __forceinline__ std::int32_t last_of_block(const std::int32_t (&value)[2], int count) {
  const std::int32_t mine = count % 2 == 0 ? value[1] : value[0];
  return __shfl_sync(kAllLanes, mine, (count - 1) / 2);
}

/// One thread: `count` staged operations through the rule of nic_schedule.hpp.
__device__ __forceinline__ void walk_block(EngineShared& shared, StageState<long long>& state,
                                           const StageCosts& costs, const Clock& clock, int count) {
  state.free = clock.free;
  for (int i = 0; i < count; ++i) {
    const StageOp op{shared.service[i], shared.queue[i], shared.lock[i]};
    const long long arrival = clock.free + shared.arrival[i];
    shared.done[i] = static_cast<std::int32_t>(advance(state, costs, arrival, op) - clock.free);
  }
}

}  // namespace fanin::kernels::nic
