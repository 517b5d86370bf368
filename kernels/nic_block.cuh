// Completion times of one block of operations by the rule of nic_schedule.hpp, computed by a whole
// warp: a scan where service depends on nothing that came earlier, and one operation a lane with
// the mechanisms where it does. Lane l holds operations kPerLane·l … kPerLane·l + kPerLane − 1 of a
// block.
#pragma once

#include "nic_clock.cuh"
#include "nic_engine.cuh"

namespace fanin::kernels::nic {

/// Not an arrival: keeps an empty place of a block out of the maximum.
inline constexpr std::int32_t kNoArrival = -(1 << 30);

/// Whole warp: what the lane that holds place `at` of a block has there.
template <int n>
__device__ __forceinline__ std::int32_t value_at(const std::int32_t (&value)[n], int at) {
  std::int32_t mine = value[0];
#pragma unroll
  for (int j = 1; j < n; ++j) {
    if (at % n == j) mine = value[j];
  }
  return __shfl_sync(kAllLanes, mine, at / n);
}

/// n operations a lane, the first of them at place `front`. Arrivals and completions in ticks after
/// the server is free. completion =
/// max(arrival, previous completion) + service, for all at once: completion(i) = sum of service up
/// to i + max(0, arrival(j) − sum of service before j; j ≤ i).
template <int n>
__device__ __forceinline__ void scan_block(const std::int32_t (&arrival)[n],
                                           const std::int32_t (&service)[n],
                                           std::int32_t (&done)[n], int front = 0) {
  const int lane = static_cast<int>(threadIdx.x) % 32;
  std::int32_t mine = 0;
#pragma unroll
  for (int j = 0; j < n; ++j) mine += service[j];
  std::int32_t sum = mine;
  // Service is mostly one constant, up to the block's end; an empty place may as well have it.
  const std::int32_t first = value_at(service, front);
  bool same = true;
#pragma unroll
  for (int j = 0; j < n; ++j) {
    same = same && (service[j] == first || arrival[j] == kNoArrival);
  }
  if (__all_sync(kAllLanes, same)) {
    sum = first * max(n * lane - front, 0) + mine;
  } else {
#pragma unroll
    for (int step = 1; step < 32; step *= 2) {
      const std::int32_t other = __shfl_up_sync(kAllLanes, sum, step);
      if (lane >= step) sum += other;
    }
  }
  const std::int32_t before = sum - mine;
  std::int32_t ahead = before;
  std::int32_t most = kNoArrival;
#pragma unroll
  for (int j = 0; j < n; ++j) {
    most = max(most, arrival[j] - ahead);
    ahead += service[j];
  }
  std::int32_t idle = 0;
  if (__any_sync(kAllLanes, most > 0)) {
#pragma unroll
    for (int step = 1; step < 32; step *= 2) {
      const std::int32_t other = __shfl_up_sync(kAllLanes, most, step);
      if (lane >= step) most = max(most, other);
    }
    const std::int32_t earlier = __shfl_up_sync(kAllLanes, most, 1);
    if (lane > 0) idle = max(earlier, 0);
  }
  ahead = before;
#pragma unroll
  for (int j = 0; j < n; ++j) {
    idle = max(idle, arrival[j] - ahead);
    ahead += service[j];
    done[j] = ahead + idle;
  }
}

/// How many of the places at the front of a segment of lanes are filled without a gap. `first` and
/// `lanes`: the segment; `filled`: this lane's places.
__device__ __forceinline__ int filled_front(const bool (&filled)[kPerLane], int first, int lanes,
                                            unsigned mask) {
  int front = kPerLane * lanes;
#pragma unroll
  for (int j = 0; j < kPerLane; ++j) {
    const unsigned gaps = ~__ballot_sync(kAllLanes, filled[j]) & mask;
    if (gaps != 0) front = min(front, kPerLane * (__ffs(gaps) - 1 - first) + j);
  }
  return front;
}

/// Whole warp: how many flags stand before each of this lane's places, in order of lane and place.
/// Returns how many there are in all.
__device__ __forceinline__ int count_before(const bool (&flag)[kPerLane], int (&before)[kPerLane]) {
  const unsigned below = (1u << (threadIdx.x % 32)) - 1;
  int earlier = 0;
  int total = 0;
#pragma unroll
  for (int j = 0; j < kPerLane; ++j) {
    const unsigned set = __ballot_sync(kAllLanes, flag[j]);
    earlier += __popc(set & below);
    total += __popc(set);
  }
#pragma unroll
  for (int j = 0; j < kPerLane; ++j) {
    before[j] = earlier;
    if (flag[j]) ++earlier;
  }
  return total;
}

/// The nearest lower lane of `peers`, -1 when there is none.
__device__ __forceinline__ int lane_before(unsigned peers) {
  const int lane = static_cast<int>(threadIdx.x) % 32;
  return 31 - __clz(static_cast<int>(peers & ((1u << lane) - 1)));
}

__device__ __forceinline__ bool last_of(unsigned peers) {
  const int lane = static_cast<int>(threadIdx.x) % 32;
  return (peers >> lane) == 1;
}

/// Whether this lane's operation finds its context absent; brings it in.
__device__ __forceinline__ bool context_miss(std::int32_t* tags, int contexts, int queue,
                                             bool valid) {
  const int lane = static_cast<int>(threadIdx.x) % 32;
  const int set = valid ? queue % contexts : -1 - lane;
  const unsigned peers = __match_any_sync(kAllLanes, set);
  const int before = lane_before(peers);
  const int left = __shfl_sync(kAllLanes, queue, max(before, 0));
  const bool miss = valid && queue != (before >= 0 ? left : tags[set]);
  __syncwarp();
  if (valid && last_of(peers)) tags[set] = queue;
  __syncwarp();
  return miss;
}

/// Completions where an operation also waits for its lock slot.
__device__ __forceinline__ void scan_locks(long long* lock_free, long long now, std::int32_t hold,
                                           int slot, std::int32_t (&arrival)[1],
                                           const std::int32_t (&service)[1],
                                           std::int32_t (&done)[1]) {
  constexpr int kFewPeers = 3;
  const int lane = static_cast<int>(threadIdx.x) % 32;
  const bool locks = slot >= 0;
  const unsigned peers = __match_any_sync(kAllLanes, locks ? slot : -1 - lane);
  const int before = locks ? lane_before(peers) : -1;
  if (locks && before < 0) {
    const long long held = lock_free[slot] - now;
    arrival[0] = max(arrival[0], static_cast<std::int32_t>(min(max(held, 0ll), 1ll << 29)));
  }
  std::int32_t start = 0;
  if (__any_sync(kAllLanes, __popc(peers) > kFewPeers)) {
    // One operation after the other, all lanes together.
    std::int32_t free = 0;
#pragma unroll 4
    for (int i = 0; i < 32; ++i) {
      const int peer = __shfl_sync(kAllLanes, before, i);
      const std::int32_t released = __shfl_sync(kAllLanes, start, max(peer, 0)) + hold;
      const std::int32_t begin =
          max(max(__shfl_sync(kAllLanes, arrival[0], i), free), peer >= 0 ? released : kNoArrival);
      free = begin + __shfl_sync(kAllLanes, service[0], i);
      if (lane == i) {
        start = begin;
        done[0] = free;
      }
    }
  } else {
    // Each pass settles at least the first operation that was not settled, so the passes end.
    for (;;) {
      scan_block<1>(arrival, service, done);
      start = done[0] - service[0];
      const std::int32_t other = __shfl_sync(kAllLanes, start, max(before, 0));
      const bool later = before >= 0 && other + hold > arrival[0];
      if (later) arrival[0] = other + hold;
      if (!__any_sync(kAllLanes, later)) break;
    }
  }
  __syncwarp();
  if (locks && last_of(peers)) lock_free[slot] = now + start + hold;
  __syncwarp();
}

/// The staged block's completions with every mechanism of `costs`. `tags` and `lock_free` may be
/// null where costs switch them off; `last_queue` is the queue of the operation before.
__device__ __forceinline__ void mechanism_block(StagedBlock& block, const StageCosts& costs,
                                                const ServerTime& time, std::int32_t* tags,
                                                long long* lock_free, int& last_queue, int count) {
  const int lane = static_cast<int>(threadIdx.x) % 32;
  std::int32_t end = 0;
  for (int first = 0; first < count; first += 32) {
    const int i = first + lane;
    const bool valid = i < count;
    const int last = min(count - first, 32) - 1;
    std::int32_t arrival[1] = {valid ? max(block.arrival[i], end) : kNoArrival};
    std::int32_t service[1] = {valid ? block.service[i] : 0};
    std::int32_t done[1];
    const int queue = valid ? block.queue[i] : -1;
    if (costs.queue_switch > 0) {
      const int left = __shfl_up_sync(kAllLanes, queue, 1);
      if (valid && queue != (lane == 0 ? last_queue : left)) service[0] += costs.queue_switch;
      last_queue = __shfl_sync(kAllLanes, queue, last);
    }
    if (costs.contexts > 0 && context_miss(tags, costs.contexts, queue, valid)) {
      service[0] += costs.context_miss;
    }
    if (costs.lock_slots > 0) {
      scan_locks(lock_free, time.total(), costs.lock_hold, valid ? block.lock[i] : -1, arrival,
                 service, done);
    } else {
      scan_block<1>(arrival, service, done);
    }
    if (valid) block.done[i] = done[0];
    end = __shfl_sync(kAllLanes, done[0], last);
  }
  __syncwarp();
}

}  // namespace fanin::kernels::nic
