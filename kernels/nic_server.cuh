// The threads that act: the server thread behind a responder, which waits for each operation's time
// and performs it, back to back where it is late; and the threads that copy rows.
#pragma once

#include "nic_clock.cuh"
#include "nic_engine.cuh"

namespace fanin::kernels::nic {

/// Waits until row copies rows_done … rows − 1 are done. Not inlined, to keep the server's loop
/// short.
__device__ __noinline__ void wait_rows(ResponderShared& shared, const device::Watch& watch,
                                       std::uint32_t rows_done, std::uint32_t rows) {
  for (; rows_done != rows; ++rows_done) {
    // The place may already hold a later job.
    device::wait_until(
        watch, WordKind::nic_copy, rows_done, rows_done + 1,
        [&] { return Word{load_shared_acquire(&shared.job_done[rows_done % kJobs])}; },
        [&](Word done) {
          return static_cast<std::int32_t>(static_cast<std::uint32_t>(done) - 1 - rows_done) >= 0;
        });
  }
}

/// One thread, whose warp has no other.
class Server {
 public:
  __device__ Server(ResponderShared& shared, const device::Watch& watch)
      : shared_(shared), watch_(watch) {}

  /// Serves until the responder has closed.
  __device__ void run(RankNic& nic) {
    const long long begin_cycles = sm_cycles();
    const std::uint64_t begin_ns = device::global_ns();
    std::int32_t late = 0;
    for (;;) {
      const std::uint32_t closed = load_shared_acquire(&shared_.closed);
      published_ = load_shared_acquire(&shared_.published);
      if (published_ == next_) {
        if (closed != 0) break;
        continue;
      }
      // Four operations are in registers; those past the published ones are read again.
      Op a = fetch(0);
      Op b = fetch(1);
      Op c = fetch(2);
      Op d = fetch(3);
      now_ = static_cast<std::uint32_t>(sm_cycles());
      late = max(late, since(a));
      while (step(a, b, c, d) && step(b, c, d, a) && step(c, d, a, b) && step(d, a, b, c)) {
      }
    }
    const double ns_per_cycle = static_cast<double>(device::global_ns() - begin_ns) /
                                static_cast<double>(sm_cycles() - begin_cycles);
    nic.responded += next_;
    nic.late_ns =
        max(nic.late_ns, static_cast<unsigned int>(static_cast<double>(late) * ns_per_cycle));
  }

 private:
  using Op = ulonglong2;  ///< ResponderShared::plain

  __device__ Op fetch(std::uint32_t ahead) const { return shared_.plain[(next_ + ahead) % kFifo]; }

  /// Cycles from the operation's time to now.
  __device__ std::int32_t since(const Op& op) const {
    return static_cast<std::int32_t>(now_ - static_cast<std::uint32_t>(op.y >> 32));
  }

  __device__ static void add(const Op& op) {
    device::add_relaxed(reinterpret_cast<Word*>(op.x & (kNotPlain - 1)),
                        unpack_value(static_cast<std::uint32_t>(op.y)));
  }

  /// Performs p, the next operation, at its time and puts the one four places on into its
  /// registers; false when nothing published is left. Four that are late and plain go without a
  /// branch between them: that is what sets the floor.
  __device__ __forceinline__ bool step(Op& p, Op& q, Op& r, Op& s) {
    while (published_ - next_ >= 4 && since(s) >= 0 && ((p.x | q.x | r.x | s.x) & kNotPlain) == 0) {
      add(p);
      add(q);
      add(r);
      add(s);
      next_ += 4;
      p = fetch(0);
      q = fetch(1);
      r = fetch(2);
      s = fetch(3);
      store_shared(&shared_.taken, next_);
    }
    if (next_ == published_) return false;
    while (since(p) < 0) now_ = static_cast<std::uint32_t>(sm_cycles());
    if ((p.x & kNotPlain) == 0) {
      add(p);
    } else {
      act_fully(p);
    }
    p = fetch(4);
    ++next_;
    store_shared(&shared_.taken, next_);
    return next_ != published_;
  }

  /// Any operation. A signal waits for the rows ahead of it.
  __device__ __forceinline__ void act_fully(const Op& op) {
    const auto kind = static_cast<NicOp>((op.x >> kOpShift) & 3);
    if (kind == NicOp::row) return;
    const std::uint32_t rows = shared_.rows[next_ % kFifo];
    const Word value = shared_.value[next_ % kFifo];
    while (rows_done_ != rows) {
      const std::uint32_t done = load_shared_acquire(&shared_.job_done[rows_done_ % kJobs]);
      if (static_cast<std::int32_t>(done - 1 - rows_done_) < 0) {
        wait_rows(shared_, watch_, rows_done_, rows);
        rows_done_ = rows;
        break;
      }
      ++rows_done_;
    }
    auto* const word = reinterpret_cast<Word*>(op.x & (kNotPlain - 1));
    if (kind == NicOp::add) {
      device::add_relaxed(word, value);
    } else {
      device::store_relaxed(word, value);
    }
  }

  ResponderShared& shared_;
  const device::Watch& watch_;
  std::uint32_t next_ = 0;
  std::uint32_t published_ = 0;
  std::uint32_t now_ = 0;
  std::uint32_t rows_done_ = 0;
};

/// A copy warp's place to keep a piece of a row.
struct CopyBuffer {
  alignas(128) unsigned char bytes[kCopyBytes];
  alignas(16) std::uint64_t barrier;
};

/// One thread: copies rows until the responder has closed. The wait for the copy engine's writes
/// comes before the job is done, so a row is in memory when the server thread signals it.
__device__ inline void run_copier(ResponderShared& shared, CopyBuffer& buffer) {
  device::mbarrier_init(&buffer.barrier, 1);
  device::mbarrier_init_fence();
  std::uint32_t parity = 0;
  for (;;) {
    const std::uint32_t number = atomicAdd(&shared.jobs_taken, 1u);
    const auto published = [&] {
      return static_cast<std::int32_t>(load_shared_acquire(&shared.jobs_published) - number) > 0;
    };
    while (!published()) {
      const bool closed = load_shared_acquire(&shared.jobs_closed) != 0;
      if (closed && !published()) return;
      __nanosleep(40);
    }
    const std::uint32_t at = number % kJobs;
    const auto* from = reinterpret_cast<const unsigned char*>(shared.job_source[at]);
    auto* to = reinterpret_cast<unsigned char*>(shared.job_target[at]);
    // The row was written by ordinary stores, and is read by the copy engine.
    device::fence_proxy_async();
    for (std::uint32_t left = shared.job_bytes[at]; left > 0;) {
      const std::uint32_t bytes = min(left, static_cast<std::uint32_t>(kCopyBytes));
      device::mbarrier_expect(&buffer.barrier, bytes);
      device::bulk_load(buffer.bytes, from, bytes, &buffer.barrier);
      device::mbarrier_wait(&buffer.barrier, parity);
      parity ^= 1;
      device::bulk_store(to, buffer.bytes, bytes);
      device::bulk_commit();
      device::bulk_wait_all();
      from += bytes;
      to += bytes;
      left -= bytes;
    }
    store_shared_release(&shared.job_done[at], number + 1);
  }
}

}  // namespace fanin::kernels::nic
