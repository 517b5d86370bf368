#include <algorithm>
#include <utility>

#include "kernels.hpp"

namespace fanin::model {

CopyEpilogue::CopyEpilogue(World& world, Timeline& timeline, Picoseconds duration,
                           std::optional<Picoseconds> overlap_exit)
    : world_(&world), timeline_(&timeline), duration_(duration), overlap_exit_(overlap_exit) {
  world.simulator.add(*this);
}

void CopyEpilogue::predecessor_ended(sim::Simulator& simulator) {
  ready_ = simulator.now();
  const bool overlaps = overlap_exit_.has_value();
  simulator.schedule(
      overlaps ? std::max(ready_ + *overlap_exit_, started_ + duration_) : ready_ + duration_,
      *this);
}

void CopyEpilogue::wake(sim::Simulator& simulator) {
  timeline_->finish(*world_, world_->record(ready_, simulator.now(), timeline_->cause,
                                            Resource::ffn_copy_epilogue));
}

TrainCombine::TrainCombine(World& world, Timeline& timeline, Options options)
    : world_(&world), timeline_(&timeline), options_(std::move(options)) {
  world.simulator.add(*this);
  arrivals_.expect(options_.expected);
}

void TrainCombine::predecessor_ended(sim::Simulator& simulator) {
  begin_ = simulator.now();
  const sim::Cause started = world_->record(begin_, begin_, timeline_->cause, Resource::launch);
  if (options_.entry != nullptr) {
    entering_ = true;
    options_.entry->arrive(simulator, *this, begin_, started);
    return;
  }
  open(simulator, started);
}

void TrainCombine::open(sim::Simulator& simulator, sim::Cause cause) {
  running_ = true;
  begin_ = simulator.now();
  opened_ = cause;
  options_.opened();
  if (options_.ffn >= 0) options_.send(cause);
  end_if_complete(simulator);
}

void TrainCombine::arrive(sim::Simulator& simulator, Picoseconds at, sim::Cause cause) {
  arrivals_.arrive(at, cause);
  end_if_complete(simulator);
}

void TrainCombine::end_if_complete(sim::Simulator& simulator) {
  if (!running_ || ending_ || !arrivals_.complete()) return;
  ending_ = true;
  Picoseconds end = std::max(arrivals_.latest(), begin_);
  if (options_.ffn >= 0) {
    end = begin_ + options_.duration(arrivals_.latest() - begin_);
  }
  simulator.schedule(std::max(end, simulator.now()), *this);
}

void TrainCombine::wake(sim::Simulator& simulator) {
  const Picoseconds now = simulator.now();
  if (entering_) {
    entering_ = false;
    open(simulator, world_->record(begin_, now, options_.entry->cause(), Resource::nvlink_barrier));
    return;
  }
  running_ = ending_ = false;
  sim::Cause ended = opened_;
  if (options_.ffn >= 0) {
    const bool outlasts = options_.outlasts(arrivals_.latest() - begin_);
    ended = outlasts ? world_->record(begin_, now, opened_, Resource::ffn_combine_sm)
                     : world_->record(now, now, arrivals_.cause(), Resource::nvlink_exit,
                                      Resource::nvlink_exit);
  } else if (arrivals_.latest() >= begin_) {
    ended =
        world_->record(now, now, arrivals_.cause(), Resource::nvlink_exit, Resource::nvlink_exit);
  }
  arrivals_.expect(options_.expected);
  if (options_.ended) options_.ended(now, ended);
  timeline_->finish(*world_, ended);
}

std::string TrainCombine::waiting_for() const {
  if (!running_) return {};
  return std::to_string(arrivals_.missing()) + " of " + std::to_string(options_.expected) +
         " senders";
}

}  // namespace fanin::model
