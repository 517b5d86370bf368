// What the microbenchmarks share: checked calls, a device buffer, and the list that they add to.
#pragma once

#include <cuda_runtime.h>

#include <cstdint>
#include <functional>
#include <memory>
#include <stdexcept>
#include <string>
#include <vector>

#include "fanin/probe/probe.hpp"

namespace fanin::probe {

inline void check_cuda(cudaError_t status, const char* expression, const char* file, int line) {
  if (status == cudaSuccess) return;
  throw std::runtime_error(std::string(file) + ":" + std::to_string(line) + ": " + expression +
                           ": " + cudaGetErrorString(status));
}
#define FANIN_PROBE_CHECK(expression) \
  ::fanin::probe::check_cuda((expression), #expression, __FILE__, __LINE__)

/// Zeroed device memory, shared by copies of the handle.
template <class T>
class Memory {
 public:
  explicit Memory(std::size_t count) {
    T* data = nullptr;
    FANIN_PROBE_CHECK(cudaMalloc(&data, count * sizeof(T)));
    FANIN_PROBE_CHECK(cudaMemset(data, 0, count * sizeof(T)));
    data_.reset(data, [](T* pointer) { cudaFree(pointer); });
  }
  T* get() const { return data_.get(); }
  T read(std::size_t index = 0) const {
    T value;
    FANIN_PROBE_CHECK(cudaMemcpy(&value, get() + index, sizeof(T), cudaMemcpyDeviceToHost));
    return value;
  }

 private:
  std::shared_ptr<T> data_;
};

/// Figures of one kind of chip, with its limits.
struct Chip {
  int sms = 0;
  double sm_ghz = 0;        ///< highest SM clock
  double memory_gbps = 0;   ///< device memory, reads and writes together
  double sm_copy_gbps = 0;  ///< one SM: 64 B a cycle to L2 and 64 B from it
  double cycle_ns = 0;
};

struct Bench {
  Figure figure;  ///< without its estimate
  std::function<double()> sample;
};
using Benches = std::vector<Bench>;

void add_timer_benches(Benches& benches, const Chip& chip);
void add_launch_benches(Benches& benches, const Chip& chip);
void add_atomic_benches(Benches& benches, const Chip& chip);
void add_sync_benches(Benches& benches, const Chip& chip);
void add_copy_benches(Benches& benches, const Chip& chip);
void add_epilogue_benches(Benches& benches, const Chip& chip);

__device__ __forceinline__ std::uint64_t timer_ns() {
  std::uint64_t ns;
  asm volatile("mov.u64 %0, %globaltimer;" : "=l"(ns));
  return ns;
}

/// Calls ready() until it is true, a second at most: a wait that nobody ends must not hang the GPU.
template <class Ready>
__device__ __forceinline__ bool spin_until(Ready&& ready) {
  constexpr std::uint64_t kLimitNs = 1'000'000'000;
  constexpr int kPollsPerClock = 1024;
  if (ready()) return true;
  const std::uint64_t begin = timer_ns();
  for (int polls = 1;; ++polls) {
    if (ready()) return true;
    if (polls % kPollsPerClock == 0 && timer_ns() - begin > kLimitNs) return false;
  }
}

/// Time of `work` on the default stream, in ns, by events.
template <class Work>
double event_ns(Work&& work) {
  static thread_local cudaEvent_t begin = nullptr;
  static thread_local cudaEvent_t end = nullptr;
  if (begin == nullptr) {
    FANIN_PROBE_CHECK(cudaEventCreate(&begin));
    FANIN_PROBE_CHECK(cudaEventCreate(&end));
  }
  FANIN_PROBE_CHECK(cudaEventRecord(begin));
  work();
  FANIN_PROBE_CHECK(cudaGetLastError());
  FANIN_PROBE_CHECK(cudaEventRecord(end));
  FANIN_PROBE_CHECK(cudaEventSynchronize(end));
  float ms = 0;
  FANIN_PROBE_CHECK(cudaEventElapsedTime(&ms, begin, end));
  return 1e6 * static_cast<double>(ms);
}

}  // namespace fanin::probe
