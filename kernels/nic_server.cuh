// The threads that act: one server thread behind each scheduler, which waits for each operation's
// time and performs it, back to back where it is late; and the warps that copy rows.
#pragma once

#include "nic_clock.cuh"
#include "nic_engine.cuh"

namespace fanin::kernels::nic {

/// One thread, whose warp has no other. `Server` has: Op (with when(), a cycle), fetch(place) → Op,
/// plain(four of them): can go without a look at anything else, act_plain(op), act(op).
template <class Server>
class ServerLoop {
 public:
  using Op = typename Server::Op;

  __device__ ServerLoop(EngineShared& shared, Server& server) : shared_(shared), server_(server) {}

  __device__ void run(ServerCounters& counters) {
    const long long begin_cycles = sm_cycles();
    const std::uint64_t begin_ns = device::global_ns();
    long long late = 0;
    for (;;) {
      const std::uint32_t closed = load_shared_acquire(&shared_.closed);
      published_ = load_shared_acquire(&shared_.published);
      if (published_ == next_) {
        if (closed != 0) break;
        continue;
      }
      // Four operations are in registers; those past the published ones are read again.
      Op a = server_.fetch(next_ % kFifo);
      Op b = server_.fetch((next_ + 1) % kFifo);
      Op c = server_.fetch((next_ + 2) % kFifo);
      Op d = server_.fetch((next_ + 3) % kFifo);
      now_ = sm_cycles();
      late = max(late, now_ - a.when());
      while (step(a, b, c, d) && step(b, c, d, a) && step(c, d, a, b) && step(d, a, b, c)) {
      }
    }
    const double ns_per_cycle = static_cast<double>(device::global_ns() - begin_ns) /
                                static_cast<double>(sm_cycles() - begin_cycles);
    counters.served += next_;
    counters.late_ns = max(counters.late_ns,
                           static_cast<unsigned int>(static_cast<double>(late) * ns_per_cycle));
  }

 private:
  /// Performs p, the next operation, at its time and puts the one four places on into its registers;
  /// false when nothing published is left. Four that are late and plain go without a branch between
  /// them: that is what sets the floor.
  __device__ __forceinline__ bool step(Op& p, Op& q, Op& r, Op& s) {
    while (published_ - next_ >= 4 && now_ >= s.when() && server_.plain(p, q, r, s)) {
      server_.act_plain(p);
      server_.act_plain(q);
      server_.act_plain(r);
      server_.act_plain(s);
      next_ += 4;
      p = server_.fetch(next_ % kFifo);
      q = server_.fetch((next_ + 1) % kFifo);
      r = server_.fetch((next_ + 2) % kFifo);
      s = server_.fetch((next_ + 3) % kFifo);
      store_shared(&shared_.taken, next_);
    }
    if (next_ == published_) return false;
    while (now_ < p.when()) now_ = sm_cycles();
    server_.act(p);
    p = server_.fetch((next_ + 4) % kFifo);
    ++next_;
    store_shared(&shared_.taken, next_);
    return next_ != published_;
  }

  EngineShared& shared_;
  Server& server_;
  std::uint32_t next_ = 0;
  std::uint32_t published_ = 0;
  long long now_ = 0;
};

/// Passes the requester's operations on to the responders.
struct RequesterServer {
  struct Op {
    ulonglong2 first, second, third;
    __device__ long long when() const { return static_cast<long long>(third.y); }
  };
  EngineShared& shared;

  __device__ Op fetch(std::uint32_t at) const {
    return {shared.first[at], shared.second[at], shared.third[at]};
  }
  __device__ bool plain(const Op&, const Op&, const Op&, const Op&) const { return true; }
  __device__ void act_plain(const Op& op) const { act(op); }
  __device__ void act(const Op& op) const {
    device::store_entry(reinterpret_cast<NicEntry*>(op.third.x), {op.first, op.second});
  }
};

/// Performs what has arrived. A signal waits for the rows ahead of it.
struct ResponderServer {
  struct Op {
    ulonglong2 what, how;
    __device__ long long when() const { return static_cast<long long>(how.y); }
  };
  EngineShared& shared;
  std::uint32_t rows_done = 0;

  __device__ Op fetch(std::uint32_t at) const { return {shared.first[at], shared.second[at]}; }
  __device__ bool plain(const Op& a, const Op& b, const Op& c, const Op& d) const {
    const Word add = plain_add();
    return ((a.how.x ^ add) | (b.how.x ^ add) | (c.how.x ^ add) | (d.how.x ^ add)) == 0;
  }
  __device__ void act_plain(const Op& op) const {
    device::add_relaxed(reinterpret_cast<Word*>(op.what.x), op.what.y);
  }
  __device__ void act(const Op& op) {
    if (op.how.x == plain_add()) {
      act_plain(op);
    } else {
      act_fully(op);
    }
  }

 private:
  /// What `how.x` of an add is that has no unfinished rows ahead of it.
  __device__ Word plain_add() const {
    return static_cast<Word>(NicOp::add) | static_cast<Word>(rows_done) << 32;
  }

  __device__ void act_fully(const Op& op) {
    const auto kind = static_cast<NicOp>(op.how.x & 3);
    if (kind == NicOp::row) return;
    const auto rows = static_cast<std::uint32_t>(op.how.x >> 32);
    while (rows_done != rows) {
      const std::uint32_t done = load_shared_acquire(&shared.job_done[rows_done % kJobs]);
      if (done - 1 - rows_done < 2 * kJobs) ++rows_done;
    }
    if (kind == NicOp::add) {
      act_plain(op);
    } else {
      device::store_relaxed(reinterpret_cast<Word*>(op.what.x), op.what.y);
    }
  }
};

__device__ inline void run_requester_server(RankNic& nic, EngineShared& shared, Control& control) {
  RequesterServer server{shared};
  ServerLoop(shared, server).run(nic.counters[0]);
  __threadfence();
  atomicAdd(&control.requesters_done, Word{1});
}

__device__ inline void run_responder_server(RankNic& nic, EngineShared& shared) {
  ResponderServer server{shared};
  ServerLoop(shared, server).run(nic.counters[1]);
}

/// Whole warp: copies rows until the scheduler has closed. Each lane fences its own stores, so that
/// a row is in memory before the server thread may signal it.
__device__ inline void run_copier(EngineShared& shared) {
  const int lane = static_cast<int>(threadIdx.x) % 32;
  constexpr int kUnroll = 9;  // a row of 4,224 B is 264 pieces of 16 B, 8.25 a lane
  for (;;) {
    std::uint32_t number = 0;
    if (lane == 0) number = atomicAdd(&shared.jobs_taken, 1u);
    number = __shfl_sync(kAllLanes, number, 0);
    while (load_shared_acquire(&shared.jobs_published) - number - 1 >= 0x80000000u) {
      if (load_shared_acquire(&shared.jobs_closed) != 0 &&
          load_shared_acquire(&shared.jobs_published) - number - 1 >= 0x80000000u) {
        return;
      }
      __nanosleep(40);
    }
    const std::uint32_t at = number % kJobs;
    const auto* const from = reinterpret_cast<const uint4*>(shared.job_source[at]);
    auto* const to = reinterpret_cast<uint4*>(shared.job_target[at]);
    const int pieces = static_cast<int>(shared.job_bytes[at] / sizeof(uint4));
    for (int base = lane; base < pieces; base += 32 * kUnroll) {
      uint4 piece[kUnroll];
#pragma unroll
      for (int i = 0; i < kUnroll; ++i) {
        if (base + 32 * i < pieces) piece[i] = __ldcg(from + base + 32 * i);
      }
#pragma unroll
      for (int i = 0; i < kUnroll; ++i) {
        if (base + 32 * i < pieces) to[base + 32 * i] = piece[i];
      }
    }
    __threadfence();
    __syncwarp();
    if (lane == 0) store_shared_release(&shared.job_done[at], number + 1);
  }
}

}  // namespace fanin::kernels::nic
