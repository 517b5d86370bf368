// Waiting for others: a signal from one SM to another, a poll, a grid-wide barrier by CTAs.
#include <cooperative_groups.h>

#include "bench.cuh"

namespace fanin::probe {
namespace {

__device__ __forceinline__ unsigned long long acquire(const unsigned long long* word) {
  unsigned long long value;
  asm volatile("ld.acquire.gpu.global.u64 %0, [%1];" : "=l"(value) : "l"(word) : "memory");
  return value;
}

__device__ __forceinline__ void release_add(unsigned long long* word) {
  asm volatile("red.release.gpu.global.add.u64 [%0], %1;" ::"l"(word), "l"(1ull) : "memory");
}

/// CTA 0 and the last one signal each other in turn.
__global__ void ping_kernel(int trips, unsigned long long* words, std::uint64_t* ns) {
  unsigned long long* const ping = words;
  unsigned long long* const pong = words + 16;
  if (blockIdx.x == 0) {
    const std::uint64_t begin = timer_ns();
    for (int i = 1; i <= trips; ++i) {
      release_add(ping);
      if (!spin_until([&] { return acquire(pong) >= static_cast<unsigned long long>(i); })) return;
    }
    *ns = timer_ns() - begin;
  } else if (blockIdx.x == gridDim.x - 1) {
    for (int i = 1; i <= trips; ++i) {
      if (!spin_until([&] { return acquire(ping) >= static_cast<unsigned long long>(i); })) return;
      release_add(pong);
    }
  }
}

__global__ void poll_kernel(int polls, const unsigned long long* word, std::uint64_t* ns) {
  const std::uint64_t begin = timer_ns();
  unsigned long long offset = 0;
  // The word is 0; its value in the address makes each poll wait for the one before.
  for (int i = 0; i < polls; ++i) offset = acquire(word + offset);
  *ns = timer_ns() - begin + offset;
}

__global__ void grid_sync_kernel(int syncs, std::uint64_t* ns) {
  const auto grid = cooperative_groups::this_grid();
  grid.sync();
  const std::uint64_t begin = timer_ns();
  for (int i = 0; i < syncs; ++i) grid.sync();
  if (blockIdx.x == 0 && threadIdx.x == 0) *ns = timer_ns() - begin;
}

}  // namespace

void add_sync_benches(Benches& benches, const Chip& chip) {
  const Memory<unsigned long long> words(32);
  const Memory<std::uint64_t> ns(1);
  benches.push_back({{"signal.one_way",
                      "ns",
                      "From a release add on one SM to an acquire poll that sees it on another.",
                      "",
                      {},
                      50 * chip.cycle_ns,
                      10'000},
                     [=] {
                       constexpr int kTrips = 200;
                       FANIN_PROBE_CHECK(cudaMemset(words.get(), 0, 32 * sizeof(std::uint64_t)));
                       ping_kernel<<<chip.sms, 1>>>(kTrips, words.get(), ns.get());
                       FANIN_PROBE_CHECK(cudaGetLastError());
                       return static_cast<double>(ns.read()) / (2 * kTrips);
                     }});
  benches.push_back(
      {{"signal.poll", "ns", "One acquire load after another.", "", {}, 50 * chip.cycle_ns, 10'000},
       [=] {
         constexpr int kPolls = 1000;
         FANIN_PROBE_CHECK(cudaMemset(words.get(), 0, 32 * sizeof(std::uint64_t)));
         poll_kernel<<<1, 1>>>(kPolls, words.get(), ns.get());
         FANIN_PROBE_CHECK(cudaGetLastError());
         return static_cast<double>(ns.read()) / kPolls;
       }});
  for (const int ctas : {1, 8, 16, 24, 32, 48, 64, 96, chip.sms}) {
    if (ctas > chip.sms) continue;
    benches.push_back({{"grid_sync.ctas_" + std::to_string(ctas),
                        "ns",
                        "Grid-wide barrier of that many CTAs of 256 threads.",
                        "",
                        {},
                        50 * chip.cycle_ns,
                        50'000},
                       [=] {
                         int syncs = 50;
                         std::uint64_t* out = ns.get();
                         void* arguments[] = {&syncs, &out};
                         FANIN_PROBE_CHECK(cudaLaunchCooperativeKernel(
                             grid_sync_kernel, dim3(static_cast<unsigned>(ctas)), dim3(256),
                             arguments, 0, nullptr));
                         return static_cast<double>(ns.read()) / syncs;
                       }});
  }
}

}  // namespace fanin::probe
