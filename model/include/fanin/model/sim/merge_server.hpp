// A FIFO server that is fed by several lanes, each of which knows its arrivals ahead of time: the
// responder of a NIC, with one lane for each peer.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "fanin/hw/units.hpp"
#include "fanin/model/sim/ring.hpp"
#include "fanin/model/sim/simulator.hpp"
#include "fanin/model/sim/sink.hpp"
#include "fanin/model/sim/trail.hpp"
#include "fanin/model/sim/usage.hpp"

namespace fanin::sim {

/// Serves in order of arrival, ties in order of lane. In advance it handles every operation that
/// nothing still to come can precede in one event: a push must lie at least `lookahead` after the
/// clock, so all that arrives before the next event plus `lookahead` is safe.
class MergeServer final : public Actor {
 public:
  struct Options {
    std::string name;
    int lanes = 1;          ///< ≥ 1
    Picoseconds lookahead;  ///< least time from a push to its arrival
    ResourceId resource = 0;
    ResourceId before = 0;  ///< gets the time from an operation's cause to its arrival
  };

  MergeServer(Simulator& simulator, Mode mode, Sink& sink, Trail& trail, Options options);

  /// Preconditions: arrival ≥ now + lookahead; arrivals of one lane do not decrease.
  void push(Simulator& simulator, int lane, Picoseconds arrival, Picoseconds service,
            std::uint32_t token, Cause cause = kNoCause);

  const Usage& usage() const { return usage_; }
  /// Keeps the longest queue too, which takes memory for each waiting operation.
  void observe_queue(bool observe) { usage_.observe_queue = observe; }

  void wake(Simulator& simulator) override;
  std::string name() const override { return options_.name; }

 private:
  struct Arrival {
    Picoseconds at;
    Picoseconds service;
    std::uint32_t token;
    Cause cause;
  };
  /// First lane in order of (head, lane), and the head of the next one: while the first lane's head
  /// is earlier than that, it stays first.
  struct Choice {
    std::size_t lane;
    Picoseconds limit;
  };
  Choice choose() const;
  Completion serve(std::size_t lane);
  void wake_at(Simulator& simulator, Picoseconds time);
  void serve_ahead(Simulator& simulator);
  void serve_one(Simulator& simulator);

  Options options_;
  Mode mode_;
  Sink* sink_;
  Trail* trail_;
  std::vector<Ring<Arrival>> lanes_;
  std::vector<Picoseconds> heads_;  // kNever: lane empty
  Picoseconds free_at_;
  Cause last_ = kNoCause;
  Picoseconds wake_at_ = kNever;  // earliest pending wake-up of our own
  bool busy_ = false;             // stepwise: a completion is pending
  Completion current_;
  Usage usage_;
};

}  // namespace fanin::sim
