// The responder's scheduler: takes what the other NICs have sent, merged by time of arrival, stamps
// each operation with the time at which the responder ends it, and starts the copies of rows. A copy
// starts at once, since nobody looks at a row before the signal behind it; its share of the server's
// time delays that signal.
#pragma once

#include "nic_requester.cuh"

namespace fanin::kernels::nic {

/// Which source a lane looks at: the block's 64 places are split evenly over the links in.
struct Segment {
  int source;     ///< link in; nothing to look at when it is ≥ in_count
  int first;      ///< first lane of the segment
  int lanes;      ///< lanes of a segment, a power of two
  unsigned mask;  ///< the segment's lanes

  __device__ explicit Segment(int sources) {
    lanes = 32;
    while (32 / lanes < sources) lanes /= 2;
    const int lane = static_cast<int>(threadIdx.x) % 32;
    source = lane / lanes;
    first = source * lanes;
    mask = (lanes == 32 ? kAllLanes : (1u << lanes) - 1) << first;
  }
};

/// Whole warp: entries without a gap at the front of each lane's segment.
__device__ __forceinline__ int segment_count(const Segment& segment, bool even, bool odd) {
  const unsigned no_even = ~__ballot_sync(kAllLanes, even) & segment.mask;
  const unsigned no_odd = ~__ballot_sync(kAllLanes, odd) & segment.mask;
  const int first_even =
      no_even == 0 ? 2 * segment.lanes : 2 * (__ffs(no_even) - 1 - segment.first);
  const int first_odd =
      no_odd == 0 ? 2 * segment.lanes : 2 * (__ffs(no_odd) - 1 - segment.first) + 1;
  return min(first_even, first_odd);
}

/// Whole warp: place of each lane's two operations in order of arrival, equal ones in order of
/// source; an empty one (kNoArrival) has no place. Arrivals go through shared.arrival.
__device__ __forceinline__ void rank_by_arrival(EngineShared& shared,
                                                const std::int32_t (&arrival)[2],
                                                int (&position)[2]) {
  const int lane = static_cast<int>(threadIdx.x) % 32;
  shared.arrival[2 * lane] = arrival[0] == kNoArrival ? INT32_MAX : arrival[0];
  shared.arrival[2 * lane + 1] = arrival[1] == kNoArrival ? INT32_MAX : arrival[1];
  __syncwarp();
  position[0] = position[1] = 0;
#pragma unroll 4
  for (int i = 0; i < kBlock; i += 4) {
    const int4 keys = *reinterpret_cast<const int4*>(&shared.arrival[i]);
    const std::int32_t key[4] = {keys.x, keys.y, keys.z, keys.w};
#pragma unroll
    for (int k = 0; k < 4; ++k) {
#pragma unroll
      for (int j = 0; j < 2; ++j) {
        const bool earlier = key[k] < arrival[j] || (key[k] == arrival[j] && i + k < 2 * lane + j);
        position[j] += earlier ? 1 : 0;
      }
    }
  }
  __syncwarp();
}

/// Whole warp: hands the block's rows to the copy warps. `number` is each row's job number.
__device__ __forceinline__ void start_copies(EngineShared& shared, const NicEntry (&entry)[2],
                                             const bool (&is_row)[2],
                                             const std::uint32_t (&number)[2],
                                             std::uint32_t published) {
  // The rows' bytes were written before their posts were: order our copy warps' reads behind that.
  __threadfence();
#pragma unroll
  for (int j = 0; j < 2; ++j) {
    if (!is_row[j]) continue;
    const std::uint32_t at = number[j] % kJobs;
    while (number[j] >= kJobs && load_shared_acquire(&shared.job_done[at]) != number[j] - kJobs + 1) {
    }
    shared.job_target[at] = entry[j].target();
    shared.job_source[at] = entry[j].first.y;
    shared.job_bytes[at] = entry[j].bytes();
  }
  __syncwarp();
  if (threadIdx.x % 32 == 0) store_shared_release(&shared.jobs_published, published);
}

/// Whole warp. Ends when every requester has ended and all links in are empty.
__device__ void run_responder_scheduler(RankNic& nic, EngineShared& shared, const Control& control,
                                        const device::Watch& watch, int rank, int requesters) {
  const int lane = static_cast<int>(threadIdx.x) % 32;
  const StageCosts costs = nic.serve;
  const Segment segment(nic.in_count);
  const bool listens = segment.source < nic.in_count;
  const Link link = nic.in[listens ? segment.source : 0];
  const Word mask = (Word{1} << link.log2) - 1;
  const int offset = 2 * (lane - segment.first);
  const std::uint64_t start = device::global_ns();
  StageState<long long> state;
  state.lock_free = shared.lock_free;
  Clock clock;
  SmClock sm_clock;
  sm_clock.begin();
  std::uint32_t published = 0;
  std::uint32_t jobs = 0;
  Word consumed = *link.head;
  bool last_look = false;
  NicEntry entry[2];
  const auto load = [&](NicEntry (&into)[2], Word from) {
    into[0] = device::load_entry(link.entries + ((from + offset) & mask));
    into[1] = device::load_entry(link.entries + ((from + offset + 1) & mask));
  };
  load(entry, consumed);
  for (;;) {
    const int count = segment_count(
        segment, listens && entry[0].tagged(device::ring_tag(consumed + offset, link.log2)),
        listens && entry[1].tagged(device::ring_tag(consumed + offset + 1, link.log2)));
    const bool valid[2] = {offset < count, offset + 1 < count};
    const unsigned even = __ballot_sync(kAllLanes, valid[0]);
    const unsigned odd = __ballot_sync(kAllLanes, valid[1]);
    const int total = __popc(even) + __popc(odd);
    const std::uint64_t now = device::global_ns();
    sm_clock.observe(static_cast<long long>(now), sm_cycles());
    if (total == 0) {
      if (__any_sync(kAllLanes, last_look || overdue(watch, start, now, rank))) break;
      // One more look after the last requester has ended.
      last_look = device::load_acquire<device::Scope::gpu>(&control.requesters_done) ==
                  static_cast<Word>(requesters);
      load(entry, consumed);
      continue;
    }
    last_look = false;
    NicEntry next[2];
    load(next, consumed + count);
    clock.follow(now);

    std::int32_t arrival[2];
    std::int32_t service[2];
    std::int32_t done[2];
    int position[2] = {2 * lane, 2 * lane + 1};
    bool is_row[2];
#pragma unroll
    for (int j = 0; j < 2; ++j) {
      const NicOp op = entry[j].op();
      is_row[j] = valid[j] && op == NicOp::row;
      arrival[j] = valid[j] ? clock.since_free(entry[j].time()) : kNoArrival;
      service[j] = valid[j] && op != NicOp::marker
                       ? base_cost(costs, op == NicOp::add, entry[j].bytes(), false)
                       : 0;
    }
    const bool merged = nic.in_count > 1;
    if (merged || costs.lock_slots > 0) {
      if (merged) rank_by_arrival(shared, arrival, position);
#pragma unroll
      for (int j = 0; j < 2; ++j) {
        if (!valid[j]) continue;
        const int at = position[j];
        const bool locks = costs.lock_slots > 0 && entry[j].op() == NicOp::add;
        shared.arrival[at] = arrival[j];
        shared.service[at] = service[j];
        shared.rows[at] = is_row[j] ? 1 : 0;
        shared.queue[at] = 0;
        shared.lock[at] = locks ? lock_slot(entry[j].target(), costs.lock_slots) : -1;
      }
      __syncwarp();
    }
    // From here on lane l works on places 2l and 2l + 1 in order of service.
    bool row_here[2] = {is_row[0], is_row[1]};
    if (merged) {
#pragma unroll
      for (int j = 0; j < 2; ++j) {
        const int at = 2 * lane + j;
        arrival[j] = at < total ? shared.arrival[at] : kNoArrival;
        service[j] = at < total ? shared.service[at] : 0;
        row_here[j] = at < total && shared.rows[at] != 0;
      }
    }
    if (costs.lock_slots > 0) {
      __syncwarp();
      if (lane == 0) walk_block(shared, state, costs, clock, total);
      __syncwarp();
      done[0] = shared.done[2 * lane];
      done[1] = shared.done[2 * lane + 1];
    } else {
      scan_block(arrival, service, done);
    }
    const std::int32_t block_end = last_of_block(done, total);
    // Rows ahead of each place.
    const unsigned row_even = __ballot_sync(kAllLanes, row_here[0]);
    const unsigned row_odd = __ballot_sync(kAllLanes, row_here[1]);
    const unsigned below = (1u << lane) - 1;
    std::uint32_t rows[2];
    rows[0] = jobs + __popc(row_even & below) + __popc(row_odd & below);
    rows[1] = rows[0] + (row_here[0] ? 1 : 0);
    if (merged) {
      shared.done[2 * lane] = done[0];
      shared.done[2 * lane + 1] = done[1];
      shared.rows[2 * lane] = static_cast<std::int32_t>(rows[0]);
      shared.rows[2 * lane + 1] = static_cast<std::int32_t>(rows[1]);
      __syncwarp();
#pragma unroll
      for (int j = 0; j < 2; ++j) {
        if (!valid[j]) continue;
        done[j] = shared.done[position[j]];
        rows[j] = static_cast<std::uint32_t>(shared.rows[position[j]]);
      }
    }
    const int new_jobs = __popc(row_even) + __popc(row_odd);
    if (new_jobs > 0) {
      jobs += new_jobs;
      start_copies(shared, entry, is_row, rows, jobs);
    }
    fifo_room(shared, published, total);
#pragma unroll
    for (int j = 0; j < 2; ++j) {
      if (!valid[j]) continue;
      const std::uint32_t at = (published + position[j]) % kFifo;
      shared.first[at] = {entry[j].target(), entry[j].first.y};
      shared.second[at] = {static_cast<Word>(entry[j].op()) | static_cast<Word>(rows[j]) << 32,
                           static_cast<Word>(clock.cycle(sm_clock, done[j]))};
    }
    published += total;
    publish(shared, published);
    clock.free += block_end;
    consumed += count;
    if (listens && lane == segment.first) device::store_relaxed(link.head, consumed);
    entry[0] = next[0];
    entry[1] = next[1];
  }
  __syncwarp();
  if (lane == 0) {
    store_shared_release(&shared.jobs_closed, 1);
    store_shared_release(&shared.closed, 1);
  }
}

}  // namespace fanin::kernels::nic
