// The engine: a clock in picoseconds and actors that are woken in the total order (time, sequence).
#pragma once

#include <cstdint>
#include <limits>
#include <string>
#include <vector>

#include "fanin/hw/units.hpp"
#include "fanin/model/sim/event_queue.hpp"

namespace fanin::sim {

class Simulator;

inline constexpr Picoseconds kNever{std::numeric_limits<std::int64_t>::max()};

/// A state machine. It keeps what it must do next in its own members, so an event carries no data
/// and costs no allocation. An actor may have several events pending.
class Actor {
 public:
  Actor() = default;
  Actor(const Actor&) = delete;
  Actor& operator=(const Actor&) = delete;
  virtual ~Actor() = default;

  /// Called once for each event, at its time (simulator.now()).
  virtual void wake(Simulator& simulator) = 0;

  /// Who it is, for messages: "ffn0/channel 7 forward warp". Only asked for when a run is stuck.
  virtual std::string name() const { return "actor " + std::to_string(id_); }
  /// What it still waits for, in words; empty when it waits for nothing. Only asked for at the end
  /// of a run: whoever still waits then can never be satisfied.
  virtual std::string waiting_for() const { return {}; }

  ActorId id() const { return id_; }

 private:
  friend class Simulator;
  ActorId id_ = 0;
};

/// One instance a thread; no statics and no randomness, so the same calls give the same run. Actors
/// must outlive the simulator's run.
class Simulator {
 public:
  /// Gives the actor its id. Throws std::length_error past kMaxActors.
  void add(Actor& actor);

  Picoseconds now() const { return now_; }
  /// Events handled so far.
  std::uint64_t events() const { return events_; }
  /// Time of the first event after the one being handled; kNever when there is none. Nothing that
  /// has not been scheduled yet can happen before it.
  Picoseconds next_time() const;

  /// Wakes the actor at `time`, after all that was scheduled for that time before.
  /// Precondition: time ≥ now().
  void schedule(Picoseconds time, const Actor& actor) {
    if (top_is_spent_) {
      top_is_spent_ = false;
      queue_.replace_top(time, actor.id_);
    } else {
      queue_.push(time, actor.id_);
    }
  }

  /// Runs until no event is left, then throws model::SimulationStuck if an actor still waits; or
  /// until an actor calls stop().
  void run();
  /// Lets run() return after the event being handled. The events left stay pending.
  void stop() { stopped_ = true; }
  /// Runs until `limit` more events have been handled or none is left; true when some are left.
  bool run_events(std::uint64_t limit);

 private:
  // While its event is handled, a spent top stays in the heap: the first event that the handler
  // schedules takes its place in one pass.
  void step() {
    now_ = queue_.top_time();
    Actor& actor = *actors_[queue_.top_actor()];
    top_is_spent_ = true;
    ++events_;
    actor.wake(*this);
    if (top_is_spent_) {
      top_is_spent_ = false;
      queue_.pop();
    }
  }
  void check_nobody_waits() const;

  EventQueue queue_;
  std::vector<Actor*> actors_;
  Picoseconds now_;
  std::uint64_t events_ = 0;
  bool top_is_spent_ = false;
  bool stopped_ = false;
};

}  // namespace fanin::sim
