// Signals: adds with and without release order, from one warp and from many, on one word and on
// many; atomics whose result is waited for; fences.
#include "bench.cuh"

namespace fanin::probe {
namespace {

constexpr int kWarpsPerSm = 8;
constexpr int kWordStride = 16;  // words: 128 B
constexpr int kSlots = 64;       // words that one warp goes through

enum class Kind {
  release_add,
  relaxed_add,
  returning_add,
  release_store,
  device_fence,
  system_fence
};

template <Kind kKind>
__device__ __forceinline__ unsigned long long operate(unsigned long long* word,
                                                      unsigned long long value) {
  if constexpr (kKind == Kind::release_add) {
    asm volatile("red.release.gpu.global.add.u64 [%0], %1;" ::"l"(word), "l"(value) : "memory");
  } else if constexpr (kKind == Kind::relaxed_add) {
    asm volatile("red.relaxed.gpu.global.add.u64 [%0], %1;" ::"l"(word), "l"(value) : "memory");
  } else if constexpr (kKind == Kind::returning_add) {
    unsigned long long old;
    asm volatile("atom.relaxed.gpu.global.add.u64 %0, [%1], %2;"
                 : "=l"(old)
                 : "l"(word), "l"(value)
                 : "memory");
    return old;
  } else if constexpr (kKind == Kind::release_store) {
    asm volatile("st.release.gpu.global.u64 [%0], %1;" ::"l"(word), "l"(value) : "memory");
  } else if constexpr (kKind == Kind::device_fence) {
    asm volatile("st.relaxed.gpu.global.u64 [%0], %1;" ::"l"(word), "l"(value) : "memory");
    __threadfence();
  } else {
    asm volatile("st.relaxed.gpu.global.u64 [%0], %1;" ::"l"(word), "l"(value) : "memory");
    __threadfence_system();
  }
  return 1;
}

/// Lane 0 of each warp: `count` operations, each with an operand that depends on the one before, so
/// that a result is waited for where there is one.
template <Kind kKind>
__global__ void operate_kernel(unsigned long long* words, bool same_word, int count,
                               std::uint64_t* ns) {
  if (threadIdx.x % 32 != 0) return;
  const int warp = static_cast<int>(blockIdx.x * (blockDim.x / 32) + threadIdx.x / 32);
  const std::uint64_t begin = timer_ns();
  unsigned long long value = 1;
  for (int i = 0; i < count; ++i) {
    unsigned long long* const word =
        same_word ? words
                  : words + (static_cast<std::int64_t>(warp) * kSlots + i % kSlots) * kWordStride;
    value = operate<kKind>(word, value) | 1;
  }
  // What was posted last must be done, too.
  __threadfence();
  if (warp == 0) *ns = timer_ns() - begin;
}

template <Kind kKind>
void add(Benches& benches, const Chip& chip, const std::string& name, const std::string& meaning,
         bool many, bool same_word, int count, double low, double high,
         const std::string& parameter) {
  const int ctas = many ? chip.sms : 1;
  const int threads = many ? 32 * kWarpsPerSm : 32;
  const Memory<unsigned long long> words(static_cast<std::size_t>(chip.sms) * kWarpsPerSm * kSlots *
                                         kWordStride);
  const Memory<std::uint64_t> ns(1);
  benches.push_back({{name, "ns", meaning, parameter, {}, low, high}, [=] {
                       const auto run = [&] {
                         operate_kernel<kKind>
                             <<<ctas, threads>>>(words.get(), same_word, count, ns.get());
                       };
                       if (!many) {
                         run();
                         FANIN_PROBE_CHECK(cudaGetLastError());
                         return static_cast<double>(ns.read()) / count;
                       }
                       return event_ns(run) / (static_cast<double>(count) * ctas * kWarpsPerSm);
                     }});
}

}  // namespace

void add_atomic_benches(Benches& benches, const Chip& chip) {
  const double cycle = chip.cycle_ns;
  // An L2 slice does one atomic on a word per clock at best; over all slices there are many a
  // cycle.
  const double many = 0.01;
  add<Kind::release_add>(benches, chip, "atomic.release_one_warp",
                         "One release add after another from one warp.", false, false, 400,
                         20 * cycle, 5000, "gpu.release_add");
  add<Kind::release_add>(benches, chip, "atomic.release_many",
                         "Release adds from 8 warps of every SM, per add.", true, false, 400, many,
                         100, "gpu.release_add_many");
  add<Kind::release_add>(benches, chip, "atomic.release_same_word", "The same on one word.", true,
                         true, 400, many, 100, "");
  add<Kind::relaxed_add>(benches, chip, "atomic.relaxed_one_warp",
                         "One relaxed add after another from one warp.", false, false, 8000,
                         2 * cycle, 1000, "");
  add<Kind::relaxed_add>(benches, chip, "atomic.relaxed_many",
                         "Relaxed adds from 8 warps of every SM, per add.", true, false, 8000, many,
                         100, "");
  add<Kind::relaxed_add>(benches, chip, "atomic.relaxed_same_word",
                         "The same on one word: time between two adds in L2.", true, true, 2000,
                         0.25 * cycle, 100, "gpu.same_word_add");
  add<Kind::returning_add>(benches, chip, "atomic.returning", "Atomic whose result is waited for.",
                           false, false, 1000, 50 * cycle, 5000, "gpu.returning_atomic");
  add<Kind::returning_add>(benches, chip, "atomic.returning_same_word", "The same on one word.",
                           false, true, 1000, 50 * cycle, 5000, "");
  add<Kind::returning_add>(benches, chip, "atomic.returning_many",
                           "Returning atomics from 8 warps of every SM, per atomic.", true, false,
                           1000, many, 100, "");
  add<Kind::release_store>(benches, chip, "store.release",
                           "One release store after another from one warp.", false, false, 400,
                           20 * cycle, 5000, "");
  add<Kind::device_fence>(benches, chip, "fence.device", "Store and fence of the device's scope.",
                          false, false, 400, 5 * cycle, 5000, "gpu.device_fence");
  add<Kind::system_fence>(benches, chip, "fence.system", "Store and fence of the system's scope.",
                          false, false, 400, 5 * cycle, 20'000, "gpu.system_fence");
}

}  // namespace fanin::probe
