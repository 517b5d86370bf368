#include "fanin/model/sim/merge_server.hpp"

#include <algorithm>
#include <utility>

namespace fanin::sim {

MergeServer::MergeServer(Simulator& simulator, Mode mode, Sink& sink, Trail& trail, Options options)
    : options_(std::move(options)),
      mode_(mode),
      sink_(&sink),
      trail_(&trail),
      lanes_(static_cast<std::size_t>(options_.lanes)),
      heads_(lanes_.size(), kNever) {
  simulator.add(*this);
}

void MergeServer::push(Simulator& simulator, int lane, Picoseconds arrival, Picoseconds service,
                       std::uint32_t token, Cause cause) {
  const auto index = static_cast<std::size_t>(lane);
  if (lanes_[index].empty()) heads_[index] = arrival;
  lanes_[index].push({arrival, service, token, cause});
  if (mode_ == Mode::stepwise) {
    simulator.schedule(arrival, *this);
  } else if (arrival < wake_at_) {
    wake_at(simulator, arrival);
  }
}

void MergeServer::wake_at(Simulator& simulator, Picoseconds time) {
  wake_at_ = time;
  simulator.schedule(time, *this);
}

MergeServer::Choice MergeServer::choose() const {
  Choice choice{0, kNever};
  Picoseconds least = kNever;
  for (std::size_t lane = 0; lane < heads_.size(); ++lane) {
    if (heads_[lane] < least) {
      choice = {lane, least};
      least = heads_[lane];
    } else if (heads_[lane] < choice.limit) {
      choice.limit = heads_[lane];
    }
  }
  return choice;
}

Completion MergeServer::serve(std::size_t lane) {
  const Arrival operation = lanes_[lane].front();
  lanes_[lane].pop();
  heads_[lane] = lanes_[lane].empty() ? kNever : lanes_[lane].front().at;
  const bool queued = free_at_ > operation.at;
  const Picoseconds start = queued ? free_at_ : operation.at;
  free_at_ = start + operation.service;
  usage_.count(operation.at, start, operation.service);
  last_ = trail_->record({start, free_at_, queued ? last_ : operation.cause, options_.resource,
                          queued ? options_.resource : options_.before});
  return {free_at_, operation.token, last_};
}

void MergeServer::wake(Simulator& simulator) {
  if (mode_ == Mode::in_advance) {
    serve_ahead(simulator);
  } else {
    serve_one(simulator);
  }
}

void MergeServer::serve_ahead(Simulator& simulator) {
  if (wake_at_ <= simulator.now()) wake_at_ = kNever;
  const auto safe = [&](Picoseconds arrival) {
    const Picoseconds next = simulator.next_time();
    return arrival <= simulator.now() || next == kNever || arrival < next + options_.lookahead;
  };
  for (;;) {
    const Choice choice = choose();
    const Picoseconds& head = heads_[choice.lane];
    if (head == kNever) return;
    do {
      if (!safe(head)) {
        if (head < wake_at_) wake_at(simulator, head);
        return;
      }
      sink_->done(simulator, serve(choice.lane));
    } while (head < choice.limit);
  }
}

void MergeServer::serve_one(Simulator& simulator) {
  if (busy_ && current_.at <= simulator.now()) {
    busy_ = false;
    sink_->done(simulator, current_);
  }
  if (busy_) return;
  const std::size_t lane = choose().lane;
  if (heads_[lane] > simulator.now()) return;
  current_ = serve(lane);
  busy_ = true;
  simulator.schedule(current_.at, *this);
}

}  // namespace fanin::sim
