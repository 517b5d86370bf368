// Who acts: the server warp behind a responder, which performs each operation at its time; and the
// threads that copy rows.
#pragma once

#include "nic_clock.cuh"
#include "nic_engine.cuh"

namespace fanin::kernels::nic {

/// Whole warp: the row copies that have been done without a gap, `from` or more, in order of jobs.
__device__ __forceinline__ std::uint32_t rows_copied(const ResponderShared& shared,
                                                     std::uint32_t from) {
  for (;;) {
    const std::uint32_t job = from + threadIdx.x % 32;
    // The place may already hold a later job.
    const std::uint32_t done = load_shared(&shared.job_done[job % kJobs]);
    const unsigned missing =
        __ballot_sync(kAllLanes, static_cast<std::int32_t>(done - 1 - job) < 0);
    if (missing != 0)
      return from + static_cast<std::uint32_t>(__ffs(static_cast<int>(missing)) - 1);
    from += 32;
  }
}

/// The lanes below the lowest of `lanes`; all where it has none.
__device__ __forceinline__ unsigned before_first(unsigned lanes) {
  return (lanes & (0u - lanes)) - 1;
}

/// Whole warp: when the server has waited too long for a row's copy.
class CopyWait {
 public:
  __device__ bool over(const device::Watch& watch, std::uint32_t row) {
    if (++turns_ % 1024 != 0) return false;
    const std::uint64_t now = device::global_ns();
    if (since_ == 0) since_ = now;
    if (watch.given_up()) return true;
    if (now - since_ < watch.limit_ns) return false;
    if (threadIdx.x % 32 == 0) watch.stalled(WordKind::nic_copy, row, row + 1, row);
    return true;
  }
  __device__ void end() {
    turns_ = 0;
    since_ = 0;
  }

 private:
  unsigned turns_ = 0;
  std::uint64_t since_ = 0;
};

/// One warp: serves until the responder has closed. Lane l holds the l-th operation of the FIFO
/// that has not been performed. Each turn of the loop reads the clock once, performs whatever is
/// due, in the FIFO's order, and reads every lane's place again. A turn takes the same time whether
/// or not something is due: so an operation is late by half a turn on average, under any load, and
/// nothing is added to what queues. Adds of one turn leave in one instruction, and the
/// hardware adds to a word in order of the instruction's lanes (measured: the order rows of the
/// NIC's probe), so a finish is not seen before the tail ahead of it. With kStamped, leaves time
/// and target of each operation in nic.served.
template <bool kStamped>
__device__ __forceinline__ void run_server(RankNic& nic, ResponderShared& shared,
                                           const device::Watch& watch) {
  const std::uint32_t lane = threadIdx.x % 32;
  const long long begin_cycles = sm_cycles();
  const std::uint64_t begin_ns = device::global_ns();
  ServedOp* const served = nic.served;
  const std::uint64_t served_before = nic.acted;
  Word* const scratch = nic.scratch;
  std::uint32_t head = 0;  // operations performed
  std::uint32_t rows_done = 0;
  CopyWait copy_wait;
  std::int32_t late = 0;
  ulonglong2 op = load_op(&shared.plain[lane]);
#pragma unroll 1
  for (;;) {
    const std::uint32_t closed = load_shared(&shared.closed);
    const std::uint32_t mine = head + lane;
    const bool here = turn_of(op) == fifo_turn(mine);
    const unsigned special = __ballot_sync(kAllLanes, here && (op.x & kNotPlain) != 0);
    const auto now = static_cast<std::uint32_t>(static_cast<unsigned long long>(sm_cycles()) >> 1);
    const auto behind =
        static_cast<std::int32_t>((now - (static_cast<std::uint32_t>(op.y >> 32) >> 1)) << 1);
    bool ready = here && behind >= 0;
    const bool other = here && (op.x & kNotPlain) != 0;
    Word value = unpack_value(static_cast<std::uint32_t>(op.y));
    NicOp kind = NicOp::add;
    if (special != 0) {
      std::uint32_t rows = rows_done;
      if (other) {
        value = shared.value[mine % kFifo];
        rows = shared.rows[mine % kFifo];
        kind = static_cast<NicOp>((op.x >> kOpShift) & 3);
      }
      // A signal waits for the rows ahead of it.
      const auto behind_rows = [&] { return static_cast<std::int32_t>(rows - rows_done) > 0; };
      if (__any_sync(kAllLanes, ready && behind_rows())) {
        rows_done = rows_copied(shared, rows_done);
        const bool waits = ready && behind_rows();
        if (__any_sync(kAllLanes, waits) && copy_wait.over(watch, rows_done)) break;
        ready = ready && !waits;
      } else {
        copy_wait.end();
      }
    }
    // Only the front without a gap: a lane may see its operation before another sees an earlier
    // one.
    const unsigned gaps = ~__ballot_sync(kAllLanes, ready);
    unsigned front = before_first(gaps);
    if (special != 0) {
      // A write goes alone, so that it keeps its place among adds to the same word.
      const unsigned writes = __ballot_sync(kAllLanes, ready && kind != NicOp::add);
      front &= (writes & 1) != 0 ? 1u : before_first(writes);
    }
    const bool act = ((front >> lane) & 1) != 0;
    const std::uint32_t count = __popc(front);
    auto* const word = reinterpret_cast<Word*>(op.x & kTargetBits);
    if ((front & special) == 0) {
      // Where nothing is due, lane 0 adds nothing to a word of its own: as much work.
      const bool idle = front == 0 && lane == 0;
      add_if(act || idle, idle ? scratch : word, idle ? 0 : value);
    } else {
      add_if(act && kind == NicOp::add, word, value);
      if (act && kind != NicOp::add) device::store_relaxed(word, value);
    }
    if (kStamped && act) {
      served[(served_before + mine) % kServedOps] = {device::global_ns(), op.x & kTargetBits};
    }
    if (act) late = max(late, behind);
    head += count;
    store_shared(&shared.taken, head);
    op = load_op(&shared.plain[(head + lane) % kFifo]);
    // All that was written before closing is seen after it.
    if (closed != 0 && __all_sync(kAllLanes, turn_of(op) != fifo_turn(head + lane))) break;
  }
  const double ns_per_cycle = static_cast<double>(device::global_ns() - begin_ns) /
                              static_cast<double>(sm_cycles() - begin_cycles);
  late = __reduce_max_sync(kAllLanes, late);
  if (lane != 0) return;
  nic.acted += head;
  nic.late_ns =
      max(nic.late_ns, static_cast<unsigned int>(static_cast<double>(late) * ns_per_cycle));
}

/// A copy warp's place to keep its pieces.
struct CopyBuffer {
  alignas(128) unsigned char bytes[kCopyPieces][kCopyBytes];
  std::uint64_t barrier[kCopyPieces];
};

/// What a copy thread knows of a piece under way.
struct CopyPiece {
  std::uint32_t bytes = 0;  ///< 0: none
  bool ends_job = false;
  std::uint32_t job = 0;
  unsigned char* to = nullptr;
};

/// One thread: copies the rows of jobs first, first + stride, … until the responder, which may be
/// on another SM of the cluster, has closed. The wait for the copy engine's writes comes before a
/// job is done, so a row is in memory when the server warp signals it.
__device__ inline void run_copier(ResponderShared& shared, CopyBuffer& buffer,
                                  const device::Watch& watch, std::uint32_t first,
                                  std::uint32_t stride) {
  constexpr int kHalf = kCopyPieces / 2;
  for (std::uint64_t& barrier : buffer.barrier) device::mbarrier_init(&barrier, 1);
  device::mbarrier_init_fence();
  std::uint32_t parity = 0;  // bit p: of piece p
  std::uint32_t number = first;
  std::uint32_t done_bytes = 0;  // of job `number`
  std::uint32_t published = 0;
  CopyPiece writing[kHalf];  // read in the turn before
  for (int half = 0;; half = kHalf - half) {
    if (static_cast<std::int32_t>(published - number) <= 0) {
      published = load_cluster(&shared.jobs_published);
      // The rows were written by others' stores, and are read by the copy engine. These fences take
      // longer than a copy, so all jobs that they cover are done before there are new ones.
      if (static_cast<std::int32_t>(published - number) > 0) {
        fence_cluster();
        device::fence_proxy_async();
      }
    }
    CopyPiece reading[kHalf];
    bool idle = true;
#pragma unroll
    for (int p = 0; p < kHalf; ++p) {
      if (static_cast<std::int32_t>(published - number) <= 0) continue;
      idle = false;
      const std::uint32_t at = number % kJobs;
      const std::uint32_t all = shared.job_bytes[at];
      CopyPiece& piece = reading[p];
      piece.bytes = min(all - done_bytes, static_cast<std::uint32_t>(kCopyBytes));
      piece.to = reinterpret_cast<unsigned char*>(shared.job_target[at]) + done_bytes;
      piece.job = number;
      device::mbarrier_expect(&buffer.barrier[half + p], piece.bytes);
      device::bulk_load(buffer.bytes[half + p],
                        reinterpret_cast<const unsigned char*>(shared.job_source[at]) + done_bytes,
                        piece.bytes, &buffer.barrier[half + p]);
      done_bytes += piece.bytes;
      piece.ends_job = done_bytes == all;
      if (!piece.ends_job) continue;
      done_bytes = 0;
      number += stride;
    }
    bool wrote = false;
#pragma unroll
    for (int p = 0; p < kHalf; ++p) {
      if (writing[p].bytes == 0) continue;
      const int place = kHalf - half + p;
      if (!device::mbarrier_wait(watch, WordKind::row_loaded, writing[p].job,
                                 &buffer.barrier[place], (parity >> place) & 1)) {
        return;
      }
      parity ^= 1u << place;
      device::bulk_store(writing[p].to, buffer.bytes[place], writing[p].bytes);
      device::bulk_commit();
      wrote = true;
    }
    if (wrote) {
      device::bulk_wait_all();
      // One fence for all: it waits for this thread's stores.
      fence_cluster();
#pragma unroll
      for (int p = 0; p < kHalf; ++p) {
        if (writing[p].bytes > 0 && writing[p].ends_job)
          store_cluster(&shared.job_done[writing[p].job % kJobs], writing[p].job + 1);
      }
    } else if (idle) {
      // Nothing is published after closing.
      if (load_cluster(&shared.jobs_closed) != 0 &&
          static_cast<std::int32_t>(load_cluster(&shared.jobs_published) - number) <= 0) {
        return;
      }
      __nanosleep(100);
    }
#pragma unroll
    for (int p = 0; p < kHalf; ++p) writing[p] = reading[p];
  }
}

}  // namespace fanin::kernels::nic
