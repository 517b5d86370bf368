// Two clocks. The device timer steps by 32 ns, and its value is too large to be shifted into
// fractions of a ns; an SM counts its own clock finely, but at a rate that changes with load.
// ServerTime keeps when a server is free, as the timer's low half and ticks. SmClock keeps the line
// that turns timer time into this SM's cycles, from a pair of readings at each poll, so that a
// server thread can wait for a cycle without drifting from the timer.
#pragma once

#include <cstdint>

#include "fanin/kernels/device/memory.cuh"
#include "fanin/kernels/nic_schedule.hpp"

namespace fanin::kernels::nic {

/// All 64 bits: where only the low half is used of clock64(), a slower instruction reads it.
__device__ __forceinline__ long long sm_cycles() {
  long long cycles;
  asm volatile("mov.u64 %0, %clock64;" : "=l"(cycles));
  return cycles;
}

class SmClock {
 public:
  __device__ void begin() {
    ns_ = start_ns_ = static_cast<std::uint32_t>(device::global_ns());
    cycles_ = start_cycles_ = sm_cycles();
    window_ns_ = kFirstWindowNs;
    set_rate(1.98f);  // until the first long window has passed
  }

  /// Call at least every few microseconds with both clocks as just read.
  __device__ void observe(std::uint32_t ns, long long cycles) {
    // The timer shows the start of its step, so the true time lies 0…kStepNs after `ns`, and the
    // reading 0…step above the line. Outside of that the line is wrong for certain; inside, the
    // least of a window's n readings is step/(n + 1) above it on average.
    const float moved = rate_ * static_cast<float>(static_cast<std::int32_t>(ns - ns_));
    const float ahead =
        static_cast<float>(static_cast<std::int32_t>(cycles - cycles_)) - (part_ + moved);
    const float step = kStepNs * rate_;
    const float wrong = ahead < 0 ? ahead : ahead > step ? ahead - step : 0.0f;
    part_ += wrong;
    corrected_ += wrong;
    least_ = fminf(least_ - wrong, ahead - wrong);
    ++readings_;
    if (ns - ns_ < window_ns_) return;
    const float rest = least_ - step / static_cast<float>(readings_ + 1);
    part_ += moved + rest;
    const float whole = truncf(part_);
    cycles_ += static_cast<long long>(whole);
    part_ -= whole;
    const float off = corrected_ + rest;
    const auto window = static_cast<float>(ns - ns_);
    ns_ = ns;
    least_ = step;
    corrected_ = 0;
    readings_ = 0;
    window_ns_ = min(2 * window_ns_, kWindowNs);
    // A line over a long time knows the rate best, as long as the rate is still the same.
    const std::uint32_t line = ns - start_ns_;
    if (fabsf(off) > 2 * step || line > kLongestLineNs) {
      start_ns_ = ns;
      start_cycles_ = cycles;
      set_rate(rate_ + off / window);
    } else if (line >= kWindowNs) {
      set_rate(static_cast<float>(cycles - start_cycles_) / static_cast<float>(line));
    }
  }

  /// Low half of this SM's clock when the timer truly passes `ns` + `ticks`/kTicksPerNs, which is
  /// less than 16 ms from now.
  __device__ std::uint32_t at(std::uint32_t ns, std::int32_t ticks) const {
    const std::int32_t after = static_cast<std::int32_t>(ns - ns_) * kTicksPerNs + ticks;
    return static_cast<std::uint32_t>(cycles_) +
           static_cast<std::uint32_t>(
               __float2int_rn(part_ + rate_ * (1.0f / kTicksPerNs) * static_cast<float>(after)));
  }

  /// Cycles in `ticks` ≥ 0.
  __device__ std::uint32_t cycles_in(std::int32_t ticks) const {
    return __umulhi(static_cast<std::uint32_t>(ticks), cycles_per_tick_);
  }

 private:
  __device__ void set_rate(float cycles_per_ns) {
    rate_ = cycles_per_ns;
    cycles_per_tick_ = __float2uint_rn(cycles_per_ns * (4294967296.0f / kTicksPerNs));
  }

  static constexpr float kStepNs = 32.0f;
  static constexpr std::uint32_t kFirstWindowNs = 1 << 14;
  static constexpr std::uint32_t kWindowNs = 1 << 18;  // one step is 0.01% of it
  static constexpr std::uint32_t kLongestLineNs = 1 << 29;

  std::uint32_t ns_ = 0;  ///< the line: at ns_ the SM's clock shows cycles_ + part_
  long long cycles_ = 0;
  float part_ = 0;
  float rate_ = 0;                     // cycles per ns
  std::uint32_t cycles_per_tick_ = 0;  // times 2^32
  std::uint32_t window_ns_ = 0;
  float least_ = kStepNs * 2;
  float corrected_ = 0;  ///< how far readings have moved the line in this window
  int readings_ = 0;
  std::uint32_t start_ns_ = 0;  ///< where the line that gives the rate begins
  long long start_cycles_ = 0;
};

/// When a server is free: has ended everything so far.
class ServerTime {
 public:
  __device__ void begin() { ns_ = static_cast<std::uint32_t>(device::global_ns()); }

  /// Ticks since begin(), for times that are kept for long.
  __device__ long long total() const { return total_; }

  __device__ void advance(std::int32_t ticks) {
    total_ += ticks;
    const std::int32_t sum = part_ + ticks;
    ns_ += static_cast<std::uint32_t>(sum / kTicksPerNs);
    part_ = sum % kTicksPerNs;
  }

  /// Call at each poll: keeps the time within reach of 32-bit differences. A server that idles does
  /// not care how long ago it became free; one that is 4 ms behind its schedule serves at its own
  /// pace anyway.
  __device__ void follow(std::uint32_t now_ns) {
    constexpr std::int32_t kReachNs = 1 << 22;
    const auto behind = static_cast<std::int32_t>(now_ns - ns_);
    if (behind > kReachNs) advance((behind - kReachNs / 2) * kTicksPerNs);
  }

  /// A time stamp, in ticks after the server is free.
  __device__ std::int32_t since_free(std::uint32_t ns) const {
    constexpr std::int32_t kLimitNs = 1 << 24;
    const auto apart = static_cast<std::int32_t>(ns - ns_);
    return min(max(apart, -kLimitNs), kLimitNs - 1) * kTicksPerNs - part_;
  }

  /// Low half of the timer's whole ns, and the ticks beyond, `ticks` ≥ 0 after the server is free.
  __device__ std::uint32_t ns(std::int32_t ticks) const {
    return ns_ + static_cast<std::uint32_t>(part_ + ticks) / kTicksPerNs;
  }
  __device__ std::int32_t part(std::int32_t ticks) const {
    return static_cast<std::int32_t>(static_cast<std::uint32_t>(part_ + ticks) % kTicksPerNs);
  }

 private:
  std::uint32_t ns_ = 0;
  std::int32_t part_ = 0;
  long long total_ = 0;
};

}  // namespace fanin::kernels::nic
