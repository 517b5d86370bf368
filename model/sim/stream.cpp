#include "fanin/model/sim/stream.hpp"

#include <algorithm>
#include <utility>

namespace fanin::sim {

Stream::Stream(Simulator& simulator, std::string name, std::vector<Kernel> kernels, int rounds)
    : name_(std::move(name)),
      kernels_(std::move(kernels)),
      total_(static_cast<std::int64_t>(kernels_.size()) * rounds) {
  launches_.reserve(static_cast<std::size_t>(total_));
  simulator.add(*this);
}

void Stream::begin(Simulator& simulator, Picoseconds at) {
  start_at_ = at;
  simulator.schedule(at, *this);
}

void Stream::wake(Simulator& simulator) {
  // A start that was brought forward leaves its old event behind.
  if (start_at_ <= simulator.now()) start_next(simulator);
}

void Stream::start_next(Simulator& simulator) {
  const auto launch = static_cast<std::int64_t>(launches_.size());
  start_at_ = kNever;
  launches_.push_back({static_cast<int>(launch % static_cast<std::int64_t>(kernels_.size())),
                       simulator.now(), kNever});
  const Kernel& started = kernel(launch);
  started.body->start(simulator);
  if (ended_ == launch) started.body->predecessor_ended(simulator);
}

void Stream::allow_next(Simulator& simulator) {
  const auto next = static_cast<std::int64_t>(launches_.size());
  if (next >= total_ || !kernel(next).early || allowed_ >= next) return;
  allowed_ = next;
  const Picoseconds at = simulator.now() + kernel(next).early_gap;
  if (at < start_at_) begin(simulator, at);
}

void Stream::finish(Simulator& simulator) {
  launches_[static_cast<std::size_t>(ended_)].end = simulator.now();
  ++ended_;
  if (ended_ == total_) return;
  if (ended_ < static_cast<std::int64_t>(launches_.size())) {
    kernel(ended_).body->predecessor_ended(simulator);
    return;
  }
  const Picoseconds at = simulator.now() + kernel(ended_).gap;
  if (at < start_at_) begin(simulator, at);
}

std::string Stream::waiting_for() const {
  if (finished()) return {};
  return "launch " + std::to_string(ended_ + 1) + " of " + std::to_string(total_) + " to end";
}

}  // namespace fanin::sim
