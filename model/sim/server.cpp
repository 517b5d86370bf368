#include "fanin/model/sim/server.hpp"

#include <algorithm>
#include <utility>

namespace fanin::sim {

Server::Server(Simulator& simulator, Mode mode, Sink& sink, Trail& trail, Options options)
    : options_(std::move(options)),
      mode_(mode),
      sink_(&sink),
      trail_(&trail),
      units_(static_cast<std::size_t>(std::max(options_.units, 1))) {
  simulator.add(*this);
}

Server::Unit& Server::first_free() {
  return *std::min_element(units_.begin(), units_.end(),
                           [](const Unit& a, const Unit& b) { return a.free_at < b.free_at; });
}

Completion Server::serve(Unit& unit, const Waiting& operation) {
  const bool queued = unit.free_at > operation.arrival;
  const Picoseconds start = queued ? unit.free_at : operation.arrival;
  unit.free_at = start + operation.service;
  usage_.count(operation.arrival, start, operation.service);
  unit.last = trail_->record({start, unit.free_at, queued ? unit.last : operation.cause,
                              options_.resource, queued ? options_.resource : operation.before});
  return {unit.free_at, operation.token, unit.last};
}

void Server::submit(Simulator& simulator, std::uint32_t token, Picoseconds service, Cause cause,
                    ResourceId before) {
  const Waiting operation{simulator.now(), service, token, cause, before};
  if (mode_ == Mode::in_advance) {
    sink_->done(simulator, serve(first_free(), operation));
    return;
  }
  waiting_.push(operation);
  start_waiting(simulator);
}

void Server::start_waiting(Simulator& simulator) {
  while (!waiting_.empty() && busy_.size() < units_.size()) {
    const Completion completion = serve(first_free(), waiting_.front());
    waiting_.pop();
    const auto later =
        std::upper_bound(busy_.begin(), busy_.end(), completion.at,
                         [](Picoseconds at, const Completion& other) { return at < other.at; });
    busy_.insert(later, completion);
    simulator.schedule(completion.at, *this);
  }
}

void Server::wake(Simulator& simulator) {
  const Completion completion = busy_.front();
  busy_.erase(busy_.begin());
  start_waiting(simulator);
  sink_->done(simulator, completion);
}

}  // namespace fanin::sim
