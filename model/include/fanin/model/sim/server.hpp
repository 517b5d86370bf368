// A FIFO server with one or more alike units. Operations are submitted at the time when they
// arrive.
#pragma once

#include <cstdint>
#include <vector>

#include "fanin/hw/units.hpp"
#include "fanin/model/sim/ring.hpp"
#include "fanin/model/sim/simulator.hpp"
#include "fanin/model/sim/sink.hpp"
#include "fanin/model/sim/trail.hpp"
#include "fanin/model/sim/usage.hpp"

namespace fanin::sim {

/// Service time of one operation: fixed part plus bytes at a rate.
struct Cost {
  Picoseconds per_operation;
  GigabytesPerSecond rate;  ///< 0: bytes cost nothing
  Picoseconds of(Bytes bytes) const { return per_operation + transfer_time(bytes, rate); }
};

class Server final : public Actor {
 public:
  struct Options {
    std::string name;
    int units = 1;            ///< ≥ 1; an operation takes the unit that is free first
    ResourceId resource = 0;  ///< its time in the trail
  };

  /// The sink, the trail and the simulator must outlive the server, which adds itself to the
  /// simulator.
  Server(Simulator& simulator, Mode mode, Sink& sink, Trail& trail, Options options);

  /// Arrives now. `cause` is the trail entry that it follows, `before` the resource that gets the
  /// time between that and now.
  void submit(Simulator& simulator, std::uint32_t token, Picoseconds service,
              Cause cause = kNoCause, ResourceId before = 0);

  const Usage& usage() const { return usage_; }
  /// Keeps the longest queue too, which takes memory for each waiting operation.
  void observe_queue(bool observe) { usage_.observe_queue = observe; }

  void wake(Simulator& simulator) override;
  std::string name() const override { return options_.name; }

 private:
  struct Waiting {
    Picoseconds arrival;
    Picoseconds service;
    std::uint32_t token;
    Cause cause;
    ResourceId before;
  };
  struct Unit {
    Picoseconds free_at;
    Cause last = kNoCause;
  };
  Unit& first_free();
  Completion serve(Unit& unit, const Waiting& operation);
  void start_waiting(Simulator& simulator);

  Options options_;
  Mode mode_;
  Sink* sink_;
  Trail* trail_;
  std::vector<Unit> units_;
  Usage usage_;
  Ring<Waiting> waiting_;         // stepwise: not yet started
  std::vector<Completion> busy_;  // stepwise: started, by end
};

}  // namespace fanin::sim
