// A flush of one context: the warp that calls it waits until everything that its GPU has posted on
// that context, to any peer, is acknowledged.
#pragma once

#include <algorithm>
#include <cstdint>
#include <vector>

#include "fanin/hw/units.hpp"
#include "fanin/model/sim/sink.hpp"

namespace fanin::model {

class FlushWaiter {
 public:
  /// `at`: when the last acknowledgement comes; earlier than now, with no cause, when all had come.
  virtual void flushed(sim::Simulator& simulator, std::uint32_t token, Picoseconds at,
                       sim::Cause cause) = 0;

 protected:
  ~FlushWaiter() = default;
};

/// What one context has in flight, and who waits for it.
class ContextFlush {
 public:
  /// The number of a work request that is posted now.
  std::uint64_t post() {
    ++in_flight_;
    return posted_++;
  }

  /// Work request `number` is acknowledged at `at`, which may be told in advance.
  void acknowledge(sim::Simulator& simulator, std::uint64_t number, Picoseconds at,
                   sim::Cause cause) {
    --in_flight_;
    latest_.take(at, cause);
    std::vector<Wait> over;
    for (Wait& wait : waits_) {
      if (number >= wait.before) continue;
      wait.latest.take(at, cause);
      if (--wait.missing == 0) over.push_back(wait);
    }
    std::erase_if(waits_, [](const Wait& wait) { return wait.missing == 0; });
    for (const Wait& wait : over)
      wait.waiter->flushed(simulator, wait.token, wait.latest.at, wait.latest.cause);
  }

  /// Tells `waiter` once, at once or later, when all work requests posted before are acknowledged.
  void flush(sim::Simulator& simulator, FlushWaiter& waiter, std::uint32_t token) {
    if (in_flight_ == 0) {
      waiter.flushed(simulator, token, latest_.at, latest_.cause);
    } else {
      waits_.push_back({&waiter, token, posted_, in_flight_, latest_});
    }
  }

 private:
  struct Latest {
    Picoseconds at;
    sim::Cause cause = sim::kNoCause;
    void take(Picoseconds then, sim::Cause why) {
      if (then < at) return;
      at = then;
      cause = why;
    }
  };
  struct Wait {
    FlushWaiter* waiter;
    std::uint32_t token;
    std::uint64_t before;
    std::int64_t missing;
    Latest latest;
  };
  std::uint64_t posted_ = 0;
  std::int64_t in_flight_ = 0;
  Latest latest_;
  std::vector<Wait> waits_;
};

}  // namespace fanin::model
