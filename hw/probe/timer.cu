// The device timer and the SM's clock.
#include "bench.cuh"

namespace fanin::probe {
namespace {

__global__ void step_kernel(std::uint64_t* smallest) {
  std::uint64_t least = ~0ull;
  std::uint64_t before = timer_ns();
  for (int changes = 0; changes < 200;) {
    const std::uint64_t now = timer_ns();
    if (now == before) continue;
    least = min(least, now - before);
    before = now;
    ++changes;
  }
  *smallest = least;
}

__global__ void read_kernel(int reads, std::uint64_t* cycles, std::uint64_t* sink) {
  std::uint64_t sum = 0;
  const long long begin = clock64();
#pragma unroll 16
  for (int i = 0; i < reads; ++i) sum += timer_ns();
  *cycles = static_cast<std::uint64_t>(clock64() - begin);
  *sink = sum;
}

__global__ void clock_kernel(std::uint64_t ns, double* mhz) {
  // From the start of one step of the timer to the start of another.
  std::uint64_t begin = timer_ns();
  for (const std::uint64_t first = begin; begin == first;) begin = timer_ns();
  const long long begin_cycles = clock64();
  std::uint64_t end = begin;
  while (end - begin < ns) end = timer_ns();
  *mhz = 1e3 * static_cast<double>(clock64() - begin_cycles) / static_cast<double>(end - begin);
}

/// CTA 0 and the CTA `other` exchange a word and their timers, as network clocks do: the offset is
/// half the difference of the two ways. Other CTAs leave at once.
__global__ void offset_kernel(int other, int trips, unsigned long long* words, double* offset) {
  volatile unsigned long long* const ping = words;
  volatile unsigned long long* const pong = words + 16;
  if (blockIdx.x == 0) {
    double sum = 0;
    for (int i = 1; i <= trips; ++i) {
      const std::uint64_t sent = timer_ns();
      *ping = static_cast<unsigned long long>(i);
      std::uint64_t theirs = 0;
      if (!spin_until(
              [&] { return ((theirs = *pong) >> 56) == static_cast<std::uint64_t>(i & 0xff); })) {
        return;
      }
      const std::uint64_t back = timer_ns();
      const auto remote = static_cast<double>((theirs & 0xffffffffull));
      const auto middle = 0.5 * (static_cast<double>(sent & 0xffffffffull) +
                                 static_cast<double>(back & 0xffffffffull));
      sum += remote - middle;
    }
    *offset = sum / trips;
  } else if (static_cast<int>(blockIdx.x) == other) {
    for (int i = 1; i <= trips; ++i) {
      if (!spin_until([&] { return *ping == static_cast<unsigned long long>(i); })) return;
      *pong = (timer_ns() & 0xffffffffull) | static_cast<unsigned long long>(i & 0xff) << 56;
    }
  }
}

}  // namespace

void add_timer_benches(Benches& benches, const Chip& chip) {
  const Memory<std::uint64_t> result(2);
  const Memory<double> real(1);
  benches.push_back({{"timer.step",
                      "ns",
                      "Smallest step of the device timer.",
                      "gpu.globaltimer_step",
                      {},
                      1,
                      1100},
                     [=] {
                       step_kernel<<<1, 1>>>(result.get());
                       FANIN_PROBE_CHECK(cudaGetLastError());
                       return static_cast<double>(result.read());
                     }});
  benches.push_back(
      {{"timer.read", "ns", "Reading the device timer.", "", {}, chip.cycle_ns, 2000}, [=] {
         constexpr int kReads = 4096;
         read_kernel<<<1, 1>>>(kReads, result.get(), result.get() + 1);
         FANIN_PROBE_CHECK(cudaGetLastError());
         return static_cast<double>(result.read()) / kReads * chip.cycle_ns;
       }});
  benches.push_back({{"timer.sm_clock",
                      "MHz",
                      "SM clock without load.",
                      "gpu.sm_clock",
                      {},
                      100,
                      1.001e3 * chip.sm_ghz},
                     [=] {
                       clock_kernel<<<1, 1>>>(500'000, real.get());
                       FANIN_PROBE_CHECK(cudaGetLastError());
                       return real.read();
                     }});
  const Memory<unsigned long long> words(32);
  for (const int other : {1, chip.sms / 2, chip.sms - 1}) {
    benches.push_back({{"timer.offset_" + std::to_string(other),
                        "ns",
                        "Device timer of another SM minus that of the first.",
                        "",
                        {},
                        -1000,
                        1000},
                       [=] {
                         FANIN_PROBE_CHECK(cudaMemset(words.get(), 0, 32 * sizeof(std::uint64_t)));
                         offset_kernel<<<chip.sms, 1>>>(other, 200, words.get(), real.get());
                         FANIN_PROBE_CHECK(cudaGetLastError());
                         return real.read();
                       }});
  }
}

}  // namespace fanin::probe
