// Who acts: the server warp behind a responder, which performs each operation at its time; and the
// threads that copy rows.
#pragma once

#include "nic_clock.cuh"
#include "nic_engine.cuh"

namespace fanin::kernels::nic {

/// Waits until row copies rows_done … rows − 1 are done.
__device__ __noinline__ void wait_rows(ResponderShared& shared, const device::Watch& watch,
                                       std::uint32_t rows_done, std::uint32_t rows) {
  for (; rows_done != rows; ++rows_done) {
    // The place may already hold a later job.
    device::wait_until(
        watch, WordKind::nic_copy, rows_done, rows_done + 1,
        [&] { return Word{load_shared(&shared.job_done[rows_done % kJobs])}; },
        [&](Word done) {
          return static_cast<std::int32_t>(static_cast<std::uint32_t>(done) - 1 - rows_done) >= 0;
        });
  }
}

/// Performs any operation, number `number`; returns the rows that are done then. A signal waits for
/// the rows ahead of it.
__device__ __noinline__ std::uint32_t act_fully(ResponderShared& shared, const device::Watch& watch,
                                                ulonglong2 op, std::uint32_t number,
                                                std::uint32_t rows_done) {
  auto* const word = reinterpret_cast<Word*>(op.x & kTargetBits);
  if ((op.x & kNotPlain) == 0) {
    device::add_relaxed<device::Scope::gpu>(word, unpack_value(static_cast<std::uint32_t>(op.y)));
    return rows_done;
  }
  const auto kind = static_cast<NicOp>((op.x >> kOpShift) & 3);
  const std::uint32_t rows = shared.rows[number % kFifo];
  for (; rows_done != rows; ++rows_done) {
    const std::uint32_t done = load_shared(&shared.job_done[rows_done % kJobs]);
    if (static_cast<std::int32_t>(done - 1 - rows_done) < 0) {
      wait_rows(shared, watch, rows_done, rows);
      rows_done = rows;
      break;
    }
  }
  const Word value = shared.value[number % kFifo];
  if (kind == NicOp::add) {
    device::add_relaxed<device::Scope::gpu>(word, value);
  } else {
    device::store_relaxed(word, value);
  }
  return rows_done;
}

/// One warp: serves until the responder has closed. Lane l holds operation number l, l + 32, … of
/// the FIFO. Each turn of the loop reads the clock once, performs whatever is due, in the FIFO's
/// order, and reads every lane's place again. A turn takes the same time whether or not something
/// is due: so an operation is late by half a turn on average, under any load, and nothing is added
/// to what queues. With kStamped, leaves time and target of each operation in nic.served.
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
  std::uint32_t mine = lane;
  std::uint32_t rows_done = 0;
  std::int32_t late = 0;
  ulonglong2 op = load_op(&shared.plain[mine % kFifo]);
#pragma unroll 1
  for (;;) {
    const std::uint32_t closed = load_shared(&shared.closed);
    const bool here = turn_of(op) == fifo_turn(mine);
    const unsigned special = __ballot_sync(kAllLanes, here && (op.x & kNotPlain) != 0);
    const auto now = static_cast<std::uint32_t>(static_cast<unsigned long long>(sm_cycles()) >> 1);
    const auto behind =
        static_cast<std::int32_t>((now - (static_cast<std::uint32_t>(op.y >> 32) >> 1)) << 1);
    // Only the front without a gap: a lane may see its operation before another sees an earlier
    // one.
    const unsigned due = __ballot_sync(kAllLanes, here && behind >= 0);
    const unsigned gaps = ~__funnelshift_r(due, due, head);
    const unsigned first_gap = gaps & (0u - gaps);  // 0: all are due
    const unsigned front = first_gap - 1;
    const unsigned acting = __funnelshift_l(front, front, head);
    const bool act = ((acting >> lane) & 1) != 0;
    const std::uint32_t count = __popc(front);
    if ((acting & special) == 0) {
      // Where nothing is due, lane 0 adds nothing to a word of its own: as much work.
      const bool idle = acting == 0 && lane == 0;
      add_if(act || idle, idle ? scratch : reinterpret_cast<Word*>(op.x & kTargetBits),
             idle ? 0 : unpack_value(static_cast<std::uint32_t>(op.y)));
      if (kStamped && act) {
        served[(served_before + mine) % kServedOps] = {device::global_ns(), op.x & kTargetBits};
      }
    } else {
      for (std::uint32_t i = 0; i < count; ++i) {
        if (((lane - head) & 31) == i) {
          rows_done = act_fully(shared, watch, op, mine, rows_done);
          if (kStamped) {
            served[(served_before + mine) % kServedOps] = {device::global_ns(), op.x & kTargetBits};
          }
        }
        rows_done = __shfl_sync(kAllLanes, rows_done, static_cast<int>(head + i));
      }
    }
    if (act) {
      late = max(late, behind);
      mine += 32;
    }
    head += count;
    store_shared(&shared.taken, head);
    op = load_op(&shared.plain[mine % kFifo]);
    // All that was written before closing is seen after it.
    if (closed != 0 && __all_sync(kAllLanes, turn_of(op) != fifo_turn(mine))) break;
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

/// One thread: copies the rows of jobs first, first + stride, … until the responder, which may be
/// on another SM of the cluster, has closed. The wait for the copy engine's writes comes before a
/// job is done, so a row is in memory when the server thread signals it.
__device__ inline void run_copier(ResponderShared& shared, CopyBuffer& buffer, std::uint32_t first,
                                  std::uint32_t stride) {
  constexpr std::uint32_t kNone = 0xffffffffu;
  for (std::uint64_t& barrier : buffer.barrier) device::mbarrier_init(&barrier, 1);
  device::mbarrier_init_fence();
  std::uint32_t parity = 0;  // bit p: of piece p
  std::uint32_t number = first;
  std::uint32_t done_bytes = 0;  // of job `number`
  for (;;) {
    const std::uint32_t published = load_cluster(&shared.jobs_published);
    if (static_cast<std::int32_t>(published - number) <= 0) {
      // Nothing is published after closing.
      if (load_cluster(&shared.jobs_closed) != 0 &&
          static_cast<std::int32_t>(load_cluster(&shared.jobs_published) - number) <= 0) {
        return;
      }
      __nanosleep(100);
      continue;
    }
    acquire_cluster();
    // The rows were written by others' stores, and are read by the copy engine.
    device::fence_proxy_async();
    unsigned char* to[kCopyPieces];
    std::uint32_t bytes[kCopyPieces];
    std::uint32_t ends[kCopyPieces];  // the job that a piece is the last of
#pragma unroll
    for (int piece = 0; piece < kCopyPieces; ++piece) {
      bytes[piece] = 0;
      ends[piece] = kNone;
      if (static_cast<std::int32_t>(published - number) <= 0) continue;
      const std::uint32_t at = number % kJobs;
      const std::uint32_t all = shared.job_bytes[at];
      bytes[piece] = min(all - done_bytes, static_cast<std::uint32_t>(kCopyBytes));
      to[piece] = reinterpret_cast<unsigned char*>(shared.job_target[at]) + done_bytes;
      device::mbarrier_expect(&buffer.barrier[piece], bytes[piece]);
      device::bulk_load(buffer.bytes[piece],
                        reinterpret_cast<const unsigned char*>(shared.job_source[at]) + done_bytes,
                        bytes[piece], &buffer.barrier[piece]);
      done_bytes += bytes[piece];
      if (done_bytes < all) continue;
      ends[piece] = number;
      done_bytes = 0;
      number += stride;
    }
#pragma unroll
    for (int piece = 0; piece < kCopyPieces; ++piece) {
      if (bytes[piece] == 0) continue;
      device::mbarrier_wait(&buffer.barrier[piece], (parity >> piece) & 1);
      parity ^= 1u << piece;
      device::bulk_store(to[piece], buffer.bytes[piece], bytes[piece]);
      device::bulk_commit();
    }
    device::bulk_wait_all();
#pragma unroll
    for (int piece = 0; piece < kCopyPieces; ++piece) {
      if (ends[piece] == kNone) continue;
      store_cluster_release(&shared.job_done[ends[piece] % kJobs], ends[piece] + 1);
    }
  }
}

}  // namespace fanin::kernels::nic
