// SMs that CTAs take one by one: the grid of a kernel that finds fewer of them runs in waves.
#pragma once

#include <cstdint>

#include "fanin/model/sim/ring.hpp"
#include "fanin/model/sim/simulator.hpp"
#include "fanin/model/sim/sink.hpp"

namespace fanin::model {

/// A CTA that waits for an SM.
class WaitingCta {
 public:
  /// It has an SM from now on; `cause` is why only now.
  virtual void placed(sim::Simulator& simulator, sim::Cause cause) = 0;

 protected:
  ~WaitingCta() = default;
};

/// CTAs are placed in the order in which they ask.
class CtaSlots {
 public:
  explicit CtaSlots(int sms) : free_(sms) {}

  void ask(sim::Simulator& simulator, WaitingCta& cta, sim::Cause cause) {
    if (free_ > 0) {
      --free_;
      cta.placed(simulator, cause);
    } else {
      waiting_.push(&cta);
    }
  }
  /// A placed CTA has ended.
  void leave(sim::Simulator& simulator, sim::Cause cause) {
    if (waiting_.empty()) {
      ++free_;
      return;
    }
    WaitingCta& next = *waiting_.front();
    waiting_.pop();
    next.placed(simulator, cause);
  }

 private:
  int free_;
  sim::Ring<WaitingCta*> waiting_;
};

}  // namespace fanin::model
