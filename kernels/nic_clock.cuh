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

__device__ __forceinline__ long long sm_cycles() { return clock64(); }

class SmClock {
 public:
  __device__ void begin() {
    ns_ = rate_ns_ = static_cast<std::uint32_t>(device::global_ns());
    cycles_ = rate_cycles_ = sm_cycles();
    set_rate(1.98f);  // until the first window has passed
  }

  /// Call at least every few microseconds with both clocks as just read.
  __device__ void observe(std::uint32_t ns, long long cycles) {
    // The timer shows the start of its step, so the true time lies 0…kStepNs after `ns`: the line
    // is moved only as far as it must be to agree, and pulled to the early end of what it may be.
    const float ahead = static_cast<float>(static_cast<std::int32_t>(cycles - cycles_)) -
                        (part_ + rate_ * static_cast<float>(static_cast<std::int32_t>(ns - ns_)));
    const float step = kStepNs * rate_;
    part_ += ahead < 0 ? ahead : ahead > step ? ahead - step : kPull;
    if (ns - rate_ns_ < kWindowNs) return;
    const float moved = part_ + rate_ * static_cast<float>(static_cast<std::int32_t>(ns - ns_));
    cycles_ += static_cast<long long>(moved);
    part_ = moved - truncf(moved);
    ns_ = ns;
    set_rate(static_cast<float>(cycles - rate_cycles_) / static_cast<float>(ns - rate_ns_));
    rate_ns_ = ns;
    rate_cycles_ = cycles;
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
  static constexpr float kPull = 0.2f;  // cycles a reading: a step's edge is met every 32 or so
  static constexpr std::uint32_t kWindowNs = 1 << 18;  // one step is 0.01% of it

  std::uint32_t ns_ = 0;
  long long cycles_ = 0;
  float part_ = 0;
  float rate_ = 0;                     // cycles per ns
  std::uint32_t cycles_per_tick_ = 0;  // times 2^32
  std::uint32_t rate_ns_ = 0;
  long long rate_cycles_ = 0;
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
