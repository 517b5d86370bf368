// Waiting for several parties.
#pragma once

#include <string>
#include <utility>
#include <vector>

#include "fanin/hw/units.hpp"
#include "fanin/model/sim/simulator.hpp"
#include "fanin/model/sim/sink.hpp"

namespace fanin::sim {

/// The latest of a known number of arrivals, which may be told in advance and in any order.
class Gather {
 public:
  /// Starts over, for `expected` ≥ 0 arrivals.
  void expect(std::int64_t expected) {
    missing_ = expected;
    latest_ = {};
    cause_ = kNoCause;
  }
  /// Precondition: !complete().
  void arrive(Picoseconds at, Cause cause = kNoCause) {
    --missing_;
    if (at >= latest_) {
      latest_ = at;
      cause_ = cause;
    }
  }
  bool complete() const { return missing_ == 0; }
  std::int64_t missing() const { return missing_; }
  Picoseconds latest() const { return latest_; }
  Cause cause() const { return cause_; }

 private:
  std::int64_t missing_ = 0;
  Picoseconds latest_;
  Cause cause_ = kNoCause;
};

/// All parties leave `cost` after the last one came; then the next round begins.
class Barrier {
 public:
  Barrier(int parties, Picoseconds cost) : parties_(parties), cost_(cost) {
    gather_.expect(parties);
  }

  /// `actor` waits from `at` ≥ now on; it is woken when all leave.
  void arrive(Simulator& simulator, const Actor& actor, Picoseconds at, Cause cause = kNoCause) {
    waiting_.push_back(&actor);
    gather_.arrive(at, cause);
    if (!gather_.complete()) return;
    released_at_ = gather_.latest() + cost_;
    last_cause_ = gather_.cause();
    for (const Actor* waiter : waiting_) simulator.schedule(released_at_, *waiter);
    waiting_.clear();
    gather_.expect(parties_);
  }
  /// Of the last complete round.
  Picoseconds released_at() const { return released_at_; }
  /// The trail entry of the arrival that released it.
  Cause cause() const { return last_cause_; }
  std::int64_t missing() const { return gather_.missing(); }

 private:
  int parties_;
  Picoseconds cost_;
  Gather gather_;
  std::vector<const Actor*> waiting_;
  Picoseconds released_at_;
  Cause last_cause_ = kNoCause;
};

}  // namespace fanin::sim
