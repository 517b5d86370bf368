// The responder: takes batches from its collector, stamps each operation with its completion, and
// starts the copies of rows. A copy starts at once, since nobody looks at a row before the signal
// behind it; its share of the server's time delays that signal.
#pragma once

#include "nic_batch.cuh"
#include "nic_block.cuh"

namespace fanin::kernels::nic {

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

/// Whole warp. Ends when its collector has. kLocks: atomics take lock slots.
template <bool kLocks>
__device__ void run_responder(RankNic& nic, ResponderShared& shared, const device::Watch& watch,
                              int rank) {
  constexpr int kPollsPerObservation = 4;
  const int lane = static_cast<int>(threadIdx.x) % 32;
  // Copies: a field of `nic` would be read from memory again behind every memory access.
  const StageCosts costs = nic.serve;
  const std::uint32_t wire_ns = nic.wire_ns;
  Word* const acks = lane < nic.in_count ? nic.in[lane].acks : nullptr;
  const bool acknowledges = nic.in[0].acks != nullptr;
  const std::uint64_t start = device::global_ns();
  ServerTime time;
  SmClock sm_clock;
  time.begin();
  sm_clock.begin();
  BatchReader batches;
  ServerFifo fifo;
  std::uint32_t jobs = 0;
  std::uint64_t responded = 0;
  bool fresh = false;  // the batch before ended with a row
  for (int poll = 0;; ++poll) {
    const std::uint64_t now = device::global_ns();
    const auto now_ns = static_cast<std::uint32_t>(now);
    if (poll % kPollsPerObservation == 0) sm_clock.observe(now_ns, sm_cycles());
    const int count = batches.poll(shared.batch);
    if (count == 0) break;
    if (count < 0) {
      if (__any_sync(kAllLanes, overdue(watch, start, now, rank))) break;
      continue;
    }
    time.follow(now_ns);
    NicEntry entry[kPerLane];
    bool valid[kPerLane];
    bool is_row[kPerLane];
    bool row_in_lane = false;
    std::int32_t arrival[kPerLane];
    std::int32_t service[kPerLane];
    std::int32_t done[kPerLane];
#pragma unroll
    for (int j = 0; j < kPerLane; ++j) {
      const int at = kPerLane * lane + j;
      valid[j] = at < count;
      entry[j] = batches.load(shared.batch, at);
      const NicOp op = entry[j].op();
      is_row[j] = valid[j] && op == NicOp::row;
      row_in_lane = row_in_lane || is_row[j];
      arrival[j] = valid[j] ? time.since_free(entry[j].time()) : kNoArrival;
      service[j] = op == NicOp::add ? costs.atomic : costs.write;
      if (!valid[j] || op == NicOp::marker) service[j] = 0;
    }
    batches.release(shared.batch);
    const bool any_row = __any_sync(kAllLanes, row_in_lane);
    if (any_row) {
#pragma unroll
      for (int j = 0; j < kPerLane; ++j) {
        if (is_row[j]) service[j] = base_cost(costs, false, entry[j].bytes(), false);
      }
    }
    if constexpr (kLocks) {
#pragma unroll
      for (int j = 0; j < kPerLane; ++j) {
        const int at = kPerLane * lane + j;
        shared.block.arrival[at] = arrival[j];
        shared.block.service[at] = service[j];
        shared.block.queue[at] = 0;
        shared.block.lock[at] = valid[j] && entry[j].op() == NicOp::add
                                    ? lock_slot(entry[j].target(), costs.lock_slots)
                                    : -1;
      }
      __syncwarp();
      int no_queue = 0;
      mechanism_block(shared.block, costs, time, nullptr, shared.lock_free, no_queue, count);
#pragma unroll
      for (int j = 0; j < kPerLane; ++j) done[j] = shared.block.done[kPerLane * lane + j];
    } else {
      scan_block<kPerLane>(arrival, service, done);
    }
    const std::int32_t block_end = value_at(done, count - 1);
    // Rows ahead of each place.
    int rows[kPerLane] = {};
    int new_jobs = 0;
    // A signal right behind a row waits for it, and so has every later one.
    bool behind_row[kPerLane] = {};
    if (any_row || fresh) {
      new_jobs = count_before(is_row, rows);
      const int left = __shfl_up_sync(kAllLanes, is_row[kPerLane - 1] ? 1 : 0, 1);
      std::int32_t last[kPerLane];
#pragma unroll
      for (int j = 0; j < kPerLane; ++j) {
        behind_row[j] = j > 0 ? is_row[max(j - 1, 0)] : lane == 0 ? fresh : left != 0;
        last[j] = is_row[j] ? 1 : 0;
      }
      fresh = value_at(last, count - 1) != 0;
      if (new_jobs > 0 && !start_copies(shared, watch, entry, is_row, rows, jobs, new_jobs)) break;
    }
    // Rows have no place in the FIFO: their time has delayed what stands behind them.
    if (!fifo.wait(shared, watch, count - new_jobs)) break;
    const std::uint32_t free_cycle = sm_clock.at(time.ns(0), time.part(0));
#pragma unroll
    for (int j = 0; j < kPerLane; ++j) {
      if (!valid[j] || is_row[j]) continue;
      fifo.put(shared, kPerLane * lane + j - rows[j], entry[j], behind_row[j], jobs + rows[j],
               free_cycle + sm_clock.cycles_in(done[j]));
    }
    jobs += new_jobs;
    if (acknowledges) {
#pragma unroll
      for (int j = 0; j < kPerLane; ++j) {
        const int link = valid[j] ? entry[j].link() : 0;
        auto* const to = reinterpret_cast<Word*>(
            __shfl_sync(kAllLanes, reinterpret_cast<unsigned long long>(acks), link));
        if (!valid[j]) continue;
        const std::uint32_t number = entry[j].number();
        device::store_relaxed(to + number % kAcks,
                              Word{number + 1} << 32 | (time.ns(done[j]) + wire_ns));
      }
    }
    fifo.advance(count - new_jobs);
    responded += count;
    time.advance(block_end);
  }
  __syncwarp();
  if (lane == 0) {
    nic.responded += responded;
    store_cluster_release(&shared.jobs_closed, 1);
    store_shared_release(&shared.closed, 1);
  }
}

}  // namespace fanin::kernels::nic
