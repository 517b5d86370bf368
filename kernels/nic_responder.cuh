// The responder: takes what has arrived from the other NICs, merged by time of arrival, stamps each
// operation with its completion, and starts the copies of rows. A copy starts at once, since nobody
// looks at a row before the signal behind it; its share of the server's time delays that signal.
#pragma once

#include "nic_block.cuh"

namespace fanin::kernels::nic {

/// An entry is taken this long before it arrives, so that what the emulation itself takes, from
/// here to the server thread, is not added to the operation's time. Two sources' operations that
/// lie closer than this may be served in the order in which they are seen.
inline constexpr std::uint32_t kAheadNs = 4000;

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

/// Whole warp: place of each valid operation in order of arrival, equal ones in order of source. A
/// source's own operations arrive in order, so an operation's place is its number in its segment
/// and, from each other segment, how many come before it, found by bisection. `taken`: operations
/// of this lane's segment; arrivals go through block.arrival, a segment after the other.
__device__ __forceinline__ void rank_by_arrival(StagedBlock& block, const Segment& segment,
                                                int sources, int taken, int first_number,
                                                const bool (&valid)[kPerLane],
                                                const std::int32_t (&arrival)[kPerLane],
                                                int (&position)[kPerLane]) {
  const int stride = kPerLane * segment.lanes;
#pragma unroll
  for (int j = 0; j < kPerLane; ++j) {
    position[j] = first_number + j;
    if (valid[j]) block.arrival[segment.source * stride + first_number + j] = arrival[j];
  }
  __syncwarp();
  int other = segment.source;
  for (int i = 1; i < sources; ++i) {
    other = other + 1 < sources ? other + 1 : 0;
    const int there = __shfl_sync(kAllLanes, taken, other * segment.lanes);
    const std::int32_t* const keys = block.arrival + other * stride;
    // Equal arrivals of an earlier source come first.
    const int equal = other < segment.source ? 1 : 0;
    int before[kPerLane] = {};
    for (int step = stride; step > 0; step /= 2) {
#pragma unroll
      for (int j = 0; j < kPerLane; ++j) {
        // No branch: lanes would take it apart.
        const int to = before[j] + step;
        const std::int32_t key = keys[min(to, stride) - 1];
        const bool more = (to <= there) & (key < arrival[j] + equal);
        before[j] = more ? to : before[j];
      }
    }
#pragma unroll
    for (int j = 0; j < kPerLane; ++j) position[j] += before[j];
  }
  __syncwarp();
}

/// Whole warp: hands the block's rows to the copy warps as jobs first … first + count − 1;
/// `number`: of each row among them. False: gave up waiting for a free job.
__device__ __forceinline__ bool start_copies(ResponderShared& shared, const device::Watch& watch,
                                             const NicEntry (&entry)[kPerLane],
                                             const bool (&is_row)[kPerLane],
                                             const int (&number)[kPerLane], std::uint32_t first,
                                             int count) {
  // The rows' bytes were written before their posts were: order our copy warps' reads behind that.
  __threadfence();
  bool free = true;
#pragma unroll
  for (int j = 0; j < kPerLane; ++j) {
    if (!is_row[j]) continue;
    const std::uint32_t job = first + number[j];
    const std::uint32_t at = job % kJobs;
    if (job >= kJobs) {
      const std::uint32_t before = job - kJobs + 1;
      free = free && device::wait_until(
                         watch, WordKind::nic_copy, at, before,
                         [&] { return Word{load_shared(&shared.job_done[at])}; },
                         [&](Word done) { return static_cast<std::uint32_t>(done) == before; });
    }
    shared.job_target[at] = entry[j].target();
    shared.job_source[at] = entry[j].first.y;
    shared.job_bytes[at] = entry[j].bytes();
  }
  if (!__all_sync(kAllLanes, free)) return false;
  if (threadIdx.x % 32 == 0) store_cluster_release(&shared.jobs_published, first + count);
  return true;
}

/// Places in the FIFO to the server.
class ServerFifo {
 public:
  /// Whole warp: waits until the FIFO has room for `count` more. False: gave up.
  __device__ bool wait(const ResponderShared& shared, const device::Watch& watch, int count) {
    if (published_ + count - taken_ <= kFifo) return true;
    const bool room = device::wait_until(
        watch, WordKind::nic_server, 0, published_ + count - kFifo,
        [&] { return Word{load_shared_acquire(&shared.taken)}; },
        [&](Word taken) {
          taken_ = static_cast<std::uint32_t>(taken);
          return published_ + count - taken_ <= kFifo;
        });
    taken_ = __shfl_sync(kAllLanes, taken_, 0);
    return __all_sync(kAllLanes, room);
  }

  /// One operation, `position` places behind what is published; `fresh`: right behind a row.
  __device__ void put(ResponderShared& shared, int position, const NicEntry& entry, bool fresh,
                      std::uint32_t rows, std::uint32_t cycle) const {
    const std::uint32_t number = published_ + position;
    const std::uint32_t at = number % kFifo;
    const NicOp op = entry.op();
    const Word value = entry.first.y;
    const bool plain = op == NicOp::add && !fresh && packs(value);
    const Word kind = plain ? 0 : kNotPlain | static_cast<Word>(op) << kOpShift;
    const Word turn = static_cast<Word>(fifo_turn(number)) << (48 + kTurnShift);
    if (!plain) {
      shared.value[at] = value;
      shared.rows[at] = rows;
    }
    store_op(&shared.plain[at],
             {entry.target() | kind | turn, pack_value(value) | static_cast<Word>(cycle) << 32});
  }

  __device__ void advance(int count) { published_ += count; }

 private:
  std::uint32_t published_ = 0;
  std::uint32_t taken_ = 0;
};

/// Whole warp. Ends when every requester has ended and all links in are empty. kMerged: more than
/// one link in; kLocks: atomics take lock slots.
template <bool kMerged, bool kLocks>
__device__ void run_responder(RankNic& nic, ResponderShared& shared, const Control& control,
                              const device::Watch& watch, int rank, int requesters) {
  constexpr bool kStaged = kMerged || kLocks;
  constexpr int kPollsPerObservation = 4;
  const int lane = static_cast<int>(threadIdx.x) % 32;
  // Copies: a field of `nic` would be read from memory again behind every link access.
  const StageCosts costs = nic.serve;
  const Segment segment(nic.in_count);
  const bool listens = segment.source < nic.in_count;
  const Link link = nic.in[listens ? segment.source : 0];
  const std::uint32_t wire_ns = nic.wire_ns;
  const int sources = nic.in_count;
  const int in_segment = lane - segment.first;
  const int first_place = kPerLane * in_segment;
  const int segment_block = kPerLane * segment.lanes;
  const std::uint64_t start = device::global_ns();
  ServerTime time;
  SmClock sm_clock;
  time.begin();
  sm_clock.begin();
  ServerFifo fifo;
  std::uint32_t jobs = 0;
  std::uint64_t responded = 0;
  std::uint32_t consumed = static_cast<std::uint32_t>(*link.head);
  bool last_look = false;
  bool fresh = false;  // the block before ended with a row
  // The block after the present one is read a whole turn before it is looked at, so that under
  // backlog nobody waits for memory.
  NicEntry entry[kPerLane];
  NicEntry after[kPerLane];
  const auto load = [&](NicEntry(&into)[kPerLane], std::uint32_t from) {
#pragma unroll
    for (int j = 0; j < kPerLane; ++j) into[j] = link.slots.load(from, in_segment, j);
  };
  load(entry, consumed);
  load(after, consumed + segment_block);
  for (int poll = 0;; ++poll) {
    const std::uint64_t now = device::global_ns();
    const auto now_ns = static_cast<std::uint32_t>(now);
    if (poll % kPollsPerObservation == 0) sm_clock.observe(now_ns, sm_cycles());
    time.follow(now_ns);
    // The link's aligned block: places before `front` have been taken.
    const int front = static_cast<int>(consumed) & (segment_block - 1);
    const Word tag = device::ring_tag(consumed, kLinkLog2);
    bool here[kPerLane];
#pragma unroll
    for (int j = 0; j < kPerLane; ++j) {
      here[j] = first_place + j < front ||
                (listens && entry[j].tagged(tag) &&
                 static_cast<std::int32_t>(entry[j].time() - now_ns - kAheadNs) <= 0);
    }
    const int filled = filled_front(here, segment.first, segment.lanes, segment.mask);
    bool valid[kPerLane];
#pragma unroll
    for (int j = 0; j < kPerLane; ++j) {
      valid[j] = first_place + j >= front && first_place + j < filled;
    }
    int position[kPerLane];
    int total = filled - front;
    if constexpr (kMerged) {
      total = 0;
#pragma unroll
      for (int j = 0; j < kPerLane; ++j) total += __popc(__ballot_sync(kAllLanes, valid[j]));
    }
    if (total == 0) {
      // Ends one look after the last requester has; an entry that is not due yet keeps it here.
      bool written = false;
#pragma unroll
      for (int j = 0; j < kPerLane; ++j) {
        written = written || (listens && first_place + j >= front && entry[j].tagged(tag));
      }
      load(entry, consumed);
      if (__any_sync(kAllLanes, overdue(watch, start, now, rank))) break;
      if (__any_sync(kAllLanes, written)) continue;
      if (last_look) break;
      last_look = device::load_acquire<device::Scope::gpu>(&control.requesters_done) ==
                  static_cast<Word>(requesters);
      if (last_look) load(entry, consumed);
      continue;
    }
    last_look = false;
    NicEntry next[kPerLane];
    if (filled == segment_block) {
#pragma unroll
      for (int j = 0; j < kPerLane; ++j) next[j] = after[j];
      load(after, consumed + filled - front + segment_block);
    } else {
      load(next, consumed + filled - front);
    }

    std::int32_t arrival[kPerLane];
    std::int32_t service[kPerLane];
    std::int32_t done[kPerLane];
    bool is_row[kPerLane];
    bool row_in_lane = false;
#pragma unroll
    for (int j = 0; j < kPerLane; ++j) {
      const NicOp op = entry[j].op();
      is_row[j] = valid[j] && op == NicOp::row;
      row_in_lane = row_in_lane || is_row[j];
      if constexpr (!kMerged) position[j] = first_place + j - front;
      arrival[j] = valid[j] ? time.since_free(entry[j].time()) : kNoArrival;
      service[j] = op == NicOp::add ? costs.atomic : costs.write;
      if (!valid[j] || op == NicOp::marker) service[j] = 0;
    }
    const bool any_row = __any_sync(kAllLanes, row_in_lane);
    if (any_row) {
#pragma unroll
      for (int j = 0; j < kPerLane; ++j) {
        if (is_row[j]) service[j] = base_cost(costs, false, entry[j].bytes(), false);
      }
    }
    if constexpr (kMerged) {
      rank_by_arrival(shared.block, segment, sources, filled - front, first_place - front, valid,
                      arrival, position);
    }
    if constexpr (kStaged) {
#pragma unroll
      for (int j = 0; j < kPerLane; ++j) {
        if (!valid[j]) continue;
        const int at = position[j];
        shared.block.arrival[at] = arrival[j];
        shared.block.service[at] = service[j];
        if (any_row) shared.block.is_row[at] = is_row[j] ? 1 : 0;
        if constexpr (kLocks) {
          shared.block.queue[at] = 0;
          shared.block.lock[at] =
              entry[j].op() == NicOp::add ? lock_slot(entry[j].target(), costs.lock_slots) : -1;
        }
      }
      __syncwarp();
    }
    // From here on lane l works on its places in order of service; staged ones have moved to the
    // front.
    const int begin = kStaged ? 0 : front;
    bool row_here[kPerLane];
#pragma unroll
    for (int j = 0; j < kPerLane; ++j) {
      row_here[j] = is_row[j];
      if constexpr (kStaged) {
        const int at = kPerLane * lane + j;
        arrival[j] = at < total ? shared.block.arrival[at] : kNoArrival;
        service[j] = at < total ? shared.block.service[at] : 0;
        row_here[j] = any_row && at < total && shared.block.is_row[at] != 0;
      }
    }
    if constexpr (kLocks) {
      int no_queue = 0;
      mechanism_block(shared.block, costs, time, nullptr, shared.lock_free, no_queue, total);
#pragma unroll
      for (int j = 0; j < kPerLane; ++j) done[j] = shared.block.done[kPerLane * lane + j];
    } else {
      scan_block<kPerLane>(arrival, service, done, begin);
    }
    const std::int32_t block_end = value_at(done, begin + total - 1);
    // Rows ahead of each place.
    int rows[kPerLane] = {};
    const int new_jobs = any_row ? count_before(row_here, rows) : 0;
    if constexpr (kStaged) {
#pragma unroll
      for (int j = 0; j < kPerLane; ++j) {
        shared.block.done[kPerLane * lane + j] = done[j];
        if (any_row) shared.block.rows[kPerLane * lane + j] = rows[j];
      }
      __syncwarp();
#pragma unroll
      for (int j = 0; j < kPerLane; ++j) {
        if (!valid[j]) continue;
        done[j] = shared.block.done[position[j]];
        if (any_row) rows[j] = shared.block.rows[position[j]];
      }
    }
    // A signal right behind a row waits for it, and so has every later one.
    bool behind_row[kPerLane] = {};
    if (any_row || fresh) {
      const int left = __shfl_up_sync(kAllLanes, is_row[kPerLane - 1] ? 1 : 0, 1);
#pragma unroll
      for (int j = 0; j < kPerLane; ++j) {
        const int at = kStaged ? position[j] : first_place + j - front;
        bool row = j > 0 ? is_row[max(j - 1, 0)] : left != 0;
        if constexpr (kStaged) {
          row = any_row && valid[j] && at > 0 && shared.block.is_row[max(at - 1, 0)] != 0;
        }
        behind_row[j] = at == 0 ? fresh : row;
      }
      int last[kPerLane];
#pragma unroll
      for (int j = 0; j < kPerLane; ++j) last[j] = row_here[j] ? 1 : 0;
      fresh = value_at(last, begin + total - 1) != 0;
    }
    if (any_row && !start_copies(shared, watch, entry, is_row, rows, jobs, new_jobs)) break;
    // Rows have no place in the FIFO: their time has delayed what stands behind them.
    if (!fifo.wait(shared, watch, total - new_jobs)) break;
    const std::uint32_t free_cycle = sm_clock.at(time.ns(0), time.part(0));
#pragma unroll
    for (int j = 0; j < kPerLane; ++j) {
      if (!valid[j] || is_row[j]) continue;
      fifo.put(shared, position[j] - rows[j], entry[j], behind_row[j], jobs + rows[j],
               free_cycle + sm_clock.cycles_in(done[j]));
    }
    jobs += new_jobs;
    if (link.acks != nullptr) {
#pragma unroll
      for (int j = 0; j < kPerLane; ++j) {
        if (!valid[j]) continue;
        const std::uint32_t number = entry[j].number();
        device::store_relaxed(link.acks + number % kAcks,
                              Word{number + 1} << 32 | (time.ns(done[j]) + wire_ns));
      }
    }
    fifo.advance(total - new_jobs);
    responded += total;
    time.advance(block_end);
    consumed += filled - front;
    if (listens && lane == segment.first) device::store_relaxed(link.head, consumed);
#pragma unroll
    for (int j = 0; j < kPerLane; ++j) entry[j] = next[j];
  }
  __syncwarp();
  if (lane == 0) {
    nic.responded += responded;
    store_cluster_release(&shared.jobs_closed, 1);
    store_shared_release(&shared.closed, 1);
  }
}

/// The responder that this NIC needs.
__device__ inline void run_responder(RankNic& nic, ResponderShared& shared, const Control& control,
                                     const device::Watch& watch, int rank, int requesters) {
  const bool locks = nic.serve.lock_slots > 0;
  if (nic.in_count > 1) {
    if (locks) {
      run_responder<true, true>(nic, shared, control, watch, rank, requesters);
    } else {
      run_responder<true, false>(nic, shared, control, watch, rank, requesters);
    }
  } else if (locks) {
    run_responder<false, true>(nic, shared, control, watch, rank, requesters);
  } else {
    run_responder<false, false>(nic, shared, control, watch, rank, requesters);
  }
}

}  // namespace fanin::kernels::nic
