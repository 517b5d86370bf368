// Small pieces that several role kernels use.
#pragma once

#include "fanin/kernels/device/wait.cuh"
#include "roles/views.cuh"

namespace fanin::kernels::roles {

inline constexpr int kNotifyWarps = 4;
inline constexpr int kNotifyThreads = kNotifyWarps * 32;
inline constexpr int kNotifyBarrier = 1;
inline constexpr unsigned kFullMask = 0xffffffffu;

__device__ __forceinline__ int lane_id() { return static_cast<int>(threadIdx.x % 32); }
__device__ __forceinline__ int warp_id() { return static_cast<int>(threadIdx.x / 32); }

/// Barrier of the notify warps alone.
__device__ __forceinline__ void notify_sync() {
  asm volatile("bar.sync %0, %1;" ::"n"(kNotifyBarrier), "n"(kNotifyThreads) : "memory");
}

/// `thread`: the one that writes.
__device__ __forceinline__ void record_placement(const Trace& trace, int thread = 0) {
  if (static_cast<int>(threadIdx.x) == thread)
    trace.placement[blockIdx.x] = static_cast<std::int32_t>(device::sm_id());
}

/// All CTAs of the grid, which must be resident together. The counter only grows, so it serves
/// every barrier of kernels with the same number of CTAs.
__device__ __forceinline__ void grid_barrier(Word* counter, const device::Watch& watch) {
  __syncthreads();
  if (threadIdx.x == 0) {
    __threadfence();
    const Word before = atomicAdd(counter, Word{1});
    const Word target = (before / gridDim.x + 1) * gridDim.x;
    wait_until(
        watch, WordKind::grid_barrier, 0, target,
        [&] { return device::load_acquire<device::Scope::gpu>(counter); },
        [&](Word seen) { return seen >= target; });
  }
  __syncthreads();
}

/// One thread. The barrier of a domain with one GPU: its only peer is the GPU itself.
template <device::Scope kScope>
__device__ __forceinline__ void domain_barrier(Word* arrivals, Word* epoch,
                                               const device::Watch& watch) {
  const Word target = *epoch + 1;
  device::add_release<kScope>(arrivals, 1);
  wait_until(
      watch, WordKind::domain_barrier, 0, target,
      [&] { return device::load_acquire<kScope>(arrivals); },
      [&](Word seen) { return seen >= target; });
  *epoch = target;
}

}  // namespace fanin::kernels::roles
