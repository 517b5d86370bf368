// The requester's scheduler: takes a rank's posts in order, stamps each with the time at which the
// requester ends it, and finds its place in the link to the peer's responder.
#pragma once

#include "nic_block.cuh"

namespace fanin::kernels::nic {

/// Whole warp. One block of a ring, two neighbouring entries a lane.
struct RingBlock {
  NicEntry entry[2];

  __device__ void load(const device::NicRing& ring, Word from) {
    const Word mask = (Word{1} << ring.log2) - 1;
    const Word mine = from + 2 * (threadIdx.x % 32);
    entry[0] = device::load_entry(ring.entries + (mine & mask));
    entry[1] = device::load_entry(ring.entries + ((mine + 1) & mask));
  }

  /// How many entries from `from` on have been written, without a gap.
  __device__ int count(const device::NicRing& ring, Word from) const {
    const Word mine = from + 2 * (threadIdx.x % 32);
    const bool even = entry[0].tagged(device::ring_tag(mine, ring.log2));
    const bool odd = entry[1].tagged(device::ring_tag(mine + 1, ring.log2));
    const unsigned no_even = ~__ballot_sync(kAllLanes, even);
    const unsigned no_odd = ~__ballot_sync(kAllLanes, odd);
    const int first_even = no_even == 0 ? kBlock : 2 * (__ffs(no_even) - 1);
    const int first_odd = no_odd == 0 ? kBlock : 2 * (__ffs(no_odd) - 1) + 1;
    return min(first_even, first_odd);
  }
};

/// Places in the links for one block. Lane l keeps link l's count of entries and the responder's
/// count as last seen.
struct LinkPlaces {
  Word tail = 0;
  Word head = 0;

  __device__ void begin(const RankNic& nic, int lane) {
    if (lane < nic.out_count) tail = head = *nic.out[lane].tail;
  }

  __device__ void end(const RankNic& nic, int lane) const {
    if (lane < nic.out_count) *nic.out[lane].tail = tail;
  }

  /// Sets the place of each valid entry; waits until the links have room. False: gave up.
  __device__ bool take(const RankNic& nic, const device::Watch& watch, const int (&link)[2],
                       Word (&place)[2]) {
    const int lane = static_cast<int>(threadIdx.x) % 32;
    const unsigned below = (1u << lane) - 1;
    int added = 0;
    for (int l = 0; l < nic.out_count; ++l) {
      const unsigned even = __ballot_sync(kAllLanes, link[0] == l);
      const unsigned odd = __ballot_sync(kAllLanes, link[1] == l);
      const Word from = __shfl_sync(kAllLanes, tail, l);
      const int earlier = __popc(even & below) + __popc(odd & below);
      if (link[0] == l) place[0] = from + earlier;
      if (link[1] == l) place[1] = from + earlier + (link[0] == l ? 1 : 0);
      if (lane == l) added = __popc(even) + __popc(odd);
    }
    tail += added;
    bool room = true;
    if (lane < nic.out_count) {
      const Word entries = Word{1} << nic.out[lane].log2;
      if (tail - head > entries) {
        const Word need = tail - entries;
        room = device::wait_until(
            watch, WordKind::queue_space, lane, need,
            [&] { return head = device::load_relaxed(nic.out[lane].head); },
            [&](Word seen) { return seen >= need; });
      }
    }
    return __all_sync(kAllLanes, room);
  }
};

/// Whole warp: waits until the FIFO has room for `count` more, returns the first free place.
__device__ __forceinline__ std::uint32_t fifo_room(const EngineShared& shared,
                                                   std::uint32_t published, int count) {
  while (published + count - load_shared_acquire(&shared.taken) > kFifo) {
  }
  return published;
}

__device__ __forceinline__ void publish(EngineShared& shared, std::uint32_t published) {
  __syncwarp();
  if (threadIdx.x % 32 == 0) store_shared_release(&shared.published, published);
}

/// One valid entry of a block, on its way to the server.
__device__ __forceinline__ void hand_over(EngineShared& shared, const RankNic& nic,
                                          std::uint32_t at, NicEntry entry, int link, Word place,
                                          std::uint64_t when, long long cycle) {
  const Link& to = nic.out[link];
  entry.set_time(static_cast<std::uint32_t>(when) + nic.wire_ns);
  entry.set_tag(device::ring_tag(place, to.log2));
  NicEntry* const target = to.entries + (place & ((Word{1} << to.log2) - 1));
  shared.first[at % kFifo] = entry.first;
  shared.second[at % kFifo] = entry.second;
  shared.third[at % kFifo] = {reinterpret_cast<Word>(target), static_cast<Word>(cycle)};
}

/// Whole warp. Ends when the host says stop and every post has been taken.
__device__ void run_requester_scheduler(RankNic& nic, EngineShared& shared, const Control& control,
                                        const device::Watch& watch, int rank) {
  const int lane = static_cast<int>(threadIdx.x) % 32;
  const StageCosts costs = nic.send;
  const bool by_walk = costs.contexts > 0;
  const std::uint64_t start = device::global_ns();
  StageState<long long> state;
  state.context_tags = shared.context_tags;
  Clock clock;
  SmClock sm_clock;
  sm_clock.begin();
  LinkPlaces places;
  places.begin(nic, lane);
  int last_queue = -1;
  std::uint32_t published = 0;
  Word consumed = *nic.consumed;
  RingBlock block;
  block.load(nic.ring, consumed);
  for (;;) {
    const int count = block.count(nic.ring, consumed);
    RingBlock next;
    next.load(nic.ring, consumed + count);
    const std::uint64_t now = device::global_ns();
    sm_clock.observe(static_cast<long long>(now), sm_cycles());
    if (count == 0) {
      const bool stop = device::load_relaxed(&control.stop) != 0 &&
                        device::load_relaxed(nic.ring.posted) == consumed;
      block = next;
      if (__any_sync(kAllLanes, stop || overdue(watch, start, now, rank))) break;
      continue;
    }
    clock.follow(now);
    std::int32_t arrival[2];
    std::int32_t service[2];
    std::int32_t done[2];
    int queue[2];
    int link[2];
#pragma unroll
    for (int j = 0; j < 2; ++j) {
      const NicEntry& entry = block.entry[j];
      const bool valid = 2 * lane + j < count;
      link[j] = valid ? nic.link_of_peer[entry.peer()] : -1;
      queue[j] = entry.peer() * nic.queues + entry.queue();
      arrival[j] = valid ? clock.since_free(entry.time() + nic.post_ns) : kNoArrival;
      service[j] = valid && entry.op() != NicOp::marker
                       ? base_cost(costs, entry.op() == NicOp::add, entry.bytes(), entry.doorbell())
                       : 0;
    }
    const bool lost = (2 * lane < count && link[0] < 0) || (2 * lane + 1 < count && link[1] < 0);
    if (__any_sync(kAllLanes, lost)) {
      if (lost) watch.stalled(WordKind::queue_space, link[0], 0, 0);
      break;
    }
    if (by_walk) {
#pragma unroll
      for (int j = 0; j < 2; ++j) {
        const int i = 2 * lane + j;
        shared.arrival[i] = arrival[j];
        shared.service[i] = service[j];
        shared.queue[i] = queue[j];
        shared.lock[i] = -1;
      }
      __syncwarp();
      if (lane == 0) walk_block(shared, state, costs, clock, count);
      __syncwarp();
      done[0] = shared.done[2 * lane];
      done[1] = shared.done[2 * lane + 1];
    } else {
      if (costs.queue_switch > 0) {
        const int left = __shfl_up_sync(kAllLanes, queue[1], 1);
        const int before = lane == 0 ? last_queue : left;
        if (2 * lane < count && queue[0] != before) service[0] += costs.queue_switch;
        if (2 * lane + 1 < count && queue[1] != queue[0]) service[1] += costs.queue_switch;
        last_queue = last_of_block(queue, count);
      }
      scan_block(arrival, service, done);
    }
    Word place[2];
    if (!places.take(nic, watch, link, place)) break;
    fifo_room(shared, published, count);
#pragma unroll
    for (int j = 0; j < 2; ++j) {
      const int i = 2 * lane + j;
      if (i < count) {
        hand_over(shared, nic, published + i, block.entry[j], link[j], place[j],
                  clock.ns(done[j]), clock.cycle(sm_clock, done[j]));
      }
    }
    published += count;
    publish(shared, published);
    clock.free += last_of_block(done, count);
    consumed += count;
    if (lane == 0) device::store_relaxed(nic.consumed, consumed);
    block = next;
  }
  places.end(nic, lane);
  __syncwarp();
  if (lane == 0) store_shared_release(&shared.closed, 1);
}

}  // namespace fanin::kernels::nic
