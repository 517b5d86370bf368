#include <algorithm>
#include <utility>

#include "kernels.hpp"

namespace fanin::model {

TrainDispatch::TrainDispatch(World& world, Timeline& timeline, Options options)
    : world_(&world), timeline_(&timeline), options_(std::move(options)) {
  world.simulator.add(*this);
  arrivals_.expect(options_.expected);
  counts_.expect(options_.counts);
}

void TrainDispatch::predecessor_ended(sim::Simulator& simulator) {
  ++round_;
  begin_ = simulator.now();
  const sim::Cause started = world_->record(begin_, begin_, timeline_->cause, Resource::launch);
  if (options_.attention >= 0) world_->exchange_starts(round_, started);
  if (options_.entry != nullptr) {
    entering_ = true;
    options_.entry->arrive(simulator, *this, begin_, started);
    return;
  }
  open(simulator, started);
}

void TrainDispatch::open(sim::Simulator& simulator, sim::Cause cause) {
  running_ = true;
  opened_ = cause;
  options_.opened();
  if (options_.attention >= 0) {
    options_.announce(simulator.now(), cause);
    if (options_.payload_delay.count == 0) {
      options_.send(cause);
    } else {
      payload_at_ = simulator.now() + options_.payload_delay;
      simulator.schedule(payload_at_, *this);
    }
  }
  look_ahead(simulator);
}

void TrainDispatch::arrive(sim::Simulator& simulator, Picoseconds at, sim::Cause cause) {
  arrivals_.arrive(at, cause);
  if (arrivals_.complete()) look_ahead(simulator);
}

void TrainDispatch::counts_arrive(sim::Simulator& simulator, Picoseconds at, sim::Cause cause) {
  counts_.arrive(at, cause);
  if (counts_.complete()) look_ahead(simulator);
}

void TrainDispatch::look_ahead(sim::Simulator& simulator) {
  if (!running_) return;
  if (options_.counts > 0 && counts_.complete() && counts_at_ == sim::kNever && !counted_) {
    counted_ = true;
    counts_at_ = std::max(counts_.latest(), simulator.now());
    simulator.schedule(counts_at_, *this);
  }
  if (arrivals_.complete() && counts_.complete() && end_at_ == sim::kNever) {
    end_at_ = std::max({arrivals_.latest(), counts_.latest(), simulator.now()});
    simulator.schedule(end_at_, *this);
  }
}

void TrainDispatch::wake(sim::Simulator& simulator) {
  const Picoseconds now = simulator.now();
  if (entering_) {
    entering_ = false;
    open(simulator, world_->record(begin_, now, options_.entry->cause(), Resource::nvlink_barrier));
    return;
  }
  if (payload_at_ <= now) {
    payload_at_ = sim::kNever;
    options_.send(world_->record(now, now, opened_, Resource::attention_dispatch,
                                 Resource::attention_dispatch));
  }
  if (counts_at_ <= now) {
    counts_at_ = sim::kNever;
    timeline_->stream->allow_next(simulator);
  }
  if (end_at_ > now) return;
  end_at_ = sim::kNever;
  running_ = false;
  const sim::Cause last = arrivals_.latest() >= begin_ ? arrivals_.cause() : opened_;
  const sim::Cause ended =
      world_->record(now, now, last, Resource::nvlink_exit, Resource::nvlink_exit);
  counted_ = false;
  counts_.expect(options_.counts);
  arrivals_.expect(options_.expected);
  timeline_->finish(*world_, ended);
}

std::string TrainDispatch::waiting_for() const {
  if (!running_) return {};
  return std::to_string(arrivals_.missing()) + " of " + std::to_string(options_.expected) +
         " arrivals";
}

}  // namespace fanin::model
