// Bounded spins: every wait for another actor ends after a time limit and reports who waited for
// what.
#pragma once

#include "fanin/kernels/device/memory.cuh"
#include "fanin/kernels/stall.hpp"

namespace fanin::kernels::device {

/// Handed to every kernel. After the first time-out all later waits give up at once, so a hang
/// costs one limit, not one a kernel.
struct Watch {
  StallReport* report = nullptr;
  std::uint64_t limit_ns = 0;
  KernelId kernel = KernelId::none;
  std::int32_t rank = 0;

  __device__ bool given_up() const {
    return *static_cast<volatile const std::int32_t*>(&report->claimed) != 0;
  }

  __device__ void stalled(WordKind word, std::int64_t index, Word expected, Word seen) const {
    if (atomicCAS(&report->claimed, 0, 1) != 0) return;
    report->kernel = kernel;
    report->word = word;
    report->rank = rank;
    report->block = static_cast<std::int32_t>(blockIdx.x);
    report->warp = static_cast<std::int32_t>(threadIdx.x / 32);
    report->index = index;
    report->expected = expected;
    report->seen = seen;
    __threadfence_system();
  }
};

/// Repeats `load()` until `ready(value)`; false after the time limit. One thread or a converged
/// warp.
template <class Load, class Ready>
__device__ __forceinline__ bool wait_until(const Watch& watch, WordKind word, std::int64_t index,
                                           Word expected, Load&& load, Ready&& ready) {
  constexpr int kPollsPerClock = 256;
  Word seen = load();
  if (ready(seen)) return true;
  const std::uint64_t start = global_ns();
  for (int polls = 1;; ++polls) {
    seen = load();
    if (ready(seen)) return true;
    if (polls % kPollsPerClock != 0) continue;
    if (watch.given_up()) return false;
    if (global_ns() - start > watch.limit_ns) {
      watch.stalled(word, index, expected, seen);
      return false;
    }
  }
}

/// Waits for the mbarrier's phase of this parity, reported as word `word`[index] that is to become
/// 1; false after the time limit. One thread or a converged warp.
__device__ __forceinline__ bool mbarrier_wait(const Watch& watch, WordKind word, std::int64_t index,
                                              std::uint64_t* barrier, std::uint32_t parity) {
  return wait_until(
      watch, word, index, 1, [&] { return Word{mbarrier_complete(barrier, parity)}; },
      [](Word complete) { return complete != 0; });
}

}  // namespace fanin::kernels::device
