// The device timer steps by 32 ns; an SM counts its own clock finely, but at a rate that changes with
// load. This keeps the line that turns timer time into this SM's cycles, from a pair of readings at
// each poll, so that servers can wait for a cycle without drifting from the timer.
#pragma once

#include <cstdint>

#include "fanin/kernels/device/memory.cuh"

namespace fanin::kernels::nic {

__device__ __forceinline__ long long sm_cycles() { return clock64(); }

class SmClock {
 public:
  __device__ void begin() {
    ns_ = rate_ns_ = static_cast<long long>(device::global_ns());
    rate_cycles_ = sm_cycles();
    cycles_ = static_cast<double>(rate_cycles_);
  }

  /// Call at least every few microseconds with the timer as just read.
  __device__ void observe(long long ns, long long cycles) {
    // The timer shows the start of its step, so the reading lies 0…kStep ns after `ns`: the line is
    // moved only as far as it must be to agree, and pulled to the early end of what it may be.
    const double ahead = static_cast<double>(cycles) - at(static_cast<double>(ns));
    const double step = kStepNs * rate_;
    if (ahead < 0) {
      cycles_ += ahead;
    } else if (ahead > step) {
      cycles_ += ahead - step;
    } else {
      cycles_ += kPull;
    }
    if (ns - rate_ns_ < kRateWindowNs) return;
    cycles_ = at(static_cast<double>(ns));
    ns_ = ns;
    rate_ = static_cast<double>(cycles - rate_cycles_) / static_cast<double>(ns - rate_ns_);
    rate_ns_ = ns;
    rate_cycles_ = cycles;
  }

  /// This SM's clock when the timer truly passes `ns`.
  __device__ double at(double ns) const { return cycles_ + rate_ * (ns - static_cast<double>(ns_)); }

  /// The same for a time `ticks` of 1/kPerNs ns after `ns`.
  template <int kPerNs>
  __device__ long long at(long long ticks) const {
    const double after = static_cast<double>(ticks - ns_ * kPerNs) * (1.0 / kPerNs);
    return __double2ll_rn(cycles_ + rate_ * after);
  }

 private:
  static constexpr double kStepNs = 32.0;
  static constexpr double kPull = 0.05;  // cycles a reading: a step's edge is met every 32 or so
  static constexpr long long kRateWindowNs = 1 << 18;  // a step is 0.01% of it

  long long ns_ = 0;
  double cycles_ = 0;
  double rate_ = 1.98;  // cycles per ns until the first window has passed
  long long rate_ns_ = 0;
  long long rate_cycles_ = 0;
};

}  // namespace fanin::kernels::nic
