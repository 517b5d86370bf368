// What all actors of one simulation share.
#pragma once

#include <cstdint>
#include <functional>
#include <string>
#include <vector>

#include "fanin/model/sim/simulator.hpp"
#include "fanin/model/sim/sink.hpp"
#include "fanin/model/sim/stream.hpp"
#include "fanin/model/sim/trail.hpp"
#include "fanin/model/simulate.hpp"
#include "ledger.hpp"
#include "points.hpp"
#include "resources.hpp"

namespace fanin::model {

/// Finds the steady period from the starts of successive exchanges: the time between two exchanges'
/// latest starts, once two such times in a row are equal; after `limit` exchanges the mean of the
/// last half, since a period may alternate.
class PeriodSearch {
 public:
  PeriodSearch(int ranks, int limit) : ranks_(ranks), limit_(limit) {}

  /// An Attention GPU starts exchange `round` (from 0) now; true when the search has ended.
  bool start(int round, Picoseconds now, sim::Cause cause);

  /// All ranks have started `round`.
  bool complete(int round) const {
    return rounds_[static_cast<std::size_t>(round)].started == ranks_;
  }
  bool ended() const { return ended_; }
  Picoseconds period() const { return period_; }
  /// The exchange whose end ended the search: it began at begin() and the next one at end().
  int round() const { return static_cast<int>(rounds_.size()) - 2; }
  int exchanges() const { return static_cast<int>(rounds_.size()) - 1; }
  Picoseconds begin() const { return rounds_[rounds_.size() - 2].latest; }
  Picoseconds end() const { return rounds_.back().latest; }
  sim::Cause cause() const { return rounds_.back().cause; }

 private:
  struct Round {
    int started = 0;
    Picoseconds latest;
    sim::Cause cause = sim::kNoCause;
  };
  int ranks_;
  int limit_;
  std::vector<Round> rounds_;
  Picoseconds period_;
  bool ended_ = false;
};

/// Slices and flows for a timeline viewer; costs a branch while it is off.
class TraceLog {
 public:
  explicit TraceLog(bool enabled) : enabled_(enabled) {}
  bool enabled() const { return enabled_; }
  void slice(std::string track, std::string name, Picoseconds start, Picoseconds duration,
             std::int64_t flow = -1) {
    if (enabled_) events_.push_back({std::move(track), std::move(name), start, duration, flow});
  }
  std::int64_t new_flow() { return next_flow_++; }
  /// Slices that touch [begin, end), with times counted from `begin`.
  std::vector<TraceEvent> window(Picoseconds begin, Picoseconds end) const;

 private:
  bool enabled_;
  std::vector<TraceEvent> events_;
  std::int64_t next_flow_ = 0;
};

struct World {
  World(const SimulationOptions& options, int attention_gpus)
      : mode(options.reference ? sim::Mode::stepwise : sim::Mode::in_advance),
        observe(options.explain),
        trace(options.record_trace),
        points(options.record_points),
        period(attention_gpus, options.max_exchanges) {
    if (options.explain) trail.enable();
  }

  sim::Simulator simulator;
  sim::Trail trail;
  sim::Mode mode;
  bool observe;  ///< servers keep their longest queue
  Ledger ledger;
  TraceLog trace;
  PointLog points;
  PeriodSearch period;

  /// Called when all Attention GPUs have started an exchange, with its number.
  std::function<void(int)> on_round;

  /// An Attention GPU starts its exchange `round` now; ends the run once the period is known.
  void exchange_starts(int round, sim::Cause cause) {
    const bool ended = period.start(round, simulator.now(), cause);
    if (on_round && period.complete(round)) on_round(round);
    if (ended) simulator.stop();
  }

  /// Entry whose time after its cause went to `resource` alone.
  sim::Cause record(Picoseconds begin, Picoseconds end, sim::Cause cause, Resource resource,
                    Resource before = Resource::launch) {
    return trail.record({begin, end, cause, resource_id(resource), resource_id(before)});
  }
};

/// The kernels of one GPU's stream hand the reason of their end to their successor.
struct Timeline {
  std::string name;  ///< "ffn0", "attention2"
  sim::Stream* stream = nullptr;
  sim::Cause cause = sim::kNoCause;
  const char* const* kernels = nullptr;  ///< names, one for each kernel of the stream
  int parts = 1;                         ///< of the oldest running kernel, that have not ended

  /// A part of the oldest running kernel ends now, because of `end`; the kernel with its last one.
  void finish(World& world, sim::Cause end) {
    if (--parts > 0) return;
    parts = 1;
    cause = end;
    if (world.trace.enabled()) {
      const sim::LaunchSpan& span = stream->oldest_running();
      world.trace.slice(name + "/kernels", kernels[span.kernel], span.start,
                        world.simulator.now() - span.start);
    }
    stream->finish(world.simulator);
  }
};

/// A kernel of two halves that run side by side; each finishes the timeline.
class JointKernel final : public sim::KernelBody {
 public:
  JointKernel(Timeline& timeline, sim::KernelBody& one, sim::KernelBody& other)
      : timeline_(&timeline), one_(&one), other_(&other) {}
  void start(sim::Simulator& simulator) override {
    one_->start(simulator);
    other_->start(simulator);
  }
  void predecessor_ended(sim::Simulator& simulator) override {
    timeline_->parts = 2;
    one_->predecessor_ended(simulator);
    other_->predecessor_ended(simulator);
  }

 private:
  Timeline* timeline_;
  sim::KernelBody* one_;
  sim::KernelBody* other_;
};

/// A kernel that takes a fixed time once its predecessor has ended.
class FixedKernel final : public sim::Actor, public sim::KernelBody {
 public:
  FixedKernel(World& world, Timeline& timeline, Picoseconds duration, Resource resource)
      : world_(&world), timeline_(&timeline), duration_(duration), resource_(resource) {
    world.simulator.add(*this);
  }
  void start(sim::Simulator&) override {}
  void predecessor_ended(sim::Simulator& simulator) override {
    begin_ = simulator.now();
    simulator.schedule(begin_ + duration_, *this);
  }
  void wake(sim::Simulator& simulator) override {
    timeline_->finish(*world_,
                      world_->record(begin_, simulator.now(), timeline_->cause, resource_));
  }

 private:
  World* world_;
  Timeline* timeline_;
  Picoseconds duration_;
  Resource resource_;
  Picoseconds begin_;
};

}  // namespace fanin::model
