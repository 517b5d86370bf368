#include "network.hpp"

#include <algorithm>
#include <cmath>
#include <utility>

namespace fanin::model {
namespace {

constexpr std::size_t index(Verb verb) { return static_cast<std::size_t>(verb); }

std::string describe(const Message& message) {
  const char* what = message.barrier                     ? "barrier"
                     : message.release                   ? "release"
                     : message.verb == Verb::row_write   ? "row"
                     : message.verb == Verb::count_write ? "counts"
                     : message.finish                    ? "finish"
                                                         : "tail";
  if (message.barrier || message.release || message.verb == Verb::count_write) return what;
  return std::string(what) + " c" + std::to_string(message.channel);
}

}  // namespace

NicCosts nic_costs(const hw::Profile& profile, const Rules& rules) {
  const Exchange& exchange = rules.exchange;
  NicCosts costs;
  const GigabytesPerSecond line{profile.value("nic.line_rate")};
  const Picoseconds gpu_post = profile.time("nic.requester.gpu_post");
  const Picoseconds wqe = profile.time("nic.requester.wqe_fetch");
  const auto requester = [&](std::string_view name) {
    return std::max(profile.time(name) + wqe, gpu_post);
  };
  // A fetch-add carries no payload worth its bytes on the line: its time is its operation's.
  const Picoseconds fetch_add = requester("nic.requester.fetch_add");
  const Picoseconds write = requester("nic.requester.write");
  costs.requester[index(Verb::fetch_add)] = {fetch_add, {}};
  costs.requester[index(Verb::row_write)] = {write, line};
  costs.requester[index(Verb::count_write)] = {write, line};
  const auto share_of = [&](Picoseconds time, std::string_view share) {
    return Picoseconds{std::llround(static_cast<double>(time.count) * profile.value(share))};
  };
  costs.requester[index(Verb::inline_write)] = {share_of(fetch_add, "nic.requester.inline_share"),
                                                {}};
  costs.silent_saving = share_of(fetch_add, "nic.requester.doorbell_share");
  const Picoseconds write_served = profile.time("nic.responder.write");
  costs.responder[index(Verb::fetch_add)] = {profile.time("nic.responder.fetch_add"), {}};
  costs.responder[index(Verb::row_write)] = {write_served, line};
  costs.responder[index(Verb::count_write)] = {write_served, line};
  costs.responder[index(Verb::inline_write)] = {
      share_of(profile.time("nic.responder.fetch_add"), "nic.responder.inline_share"), {}};
  costs.doorbell = profile.time("nic.requester.doorbell");
  costs.wire = profile.time("nic.wire_latency");
  costs.inline_saving = std::min(profile.time("nic.inline_saving"), costs.wire);
  costs.fence = profile.time("nic.atomic_fence");
  costs.write_latency = profile.time("nic.responder.write_latency");
  const Picoseconds round_trip = profile.time("nic.queue.fetch_add_round_trip");
  costs.acknowledge = std::max(round_trip - costs.wire, Picoseconds{});
  costs.outstanding =
      exchange.outstanding.value_or(static_cast<int>(profile.value("nic.queue.outstanding")));
  costs.depth = exchange.queue_depth;
  costs.fenced = profile.value("nic.queue.fence") > 0.5;
  costs.flushes = exchange.combine_flush;
  costs.uses_inline = rules.inline_empty_finishes;
  return costs;
}

void keep_larger(std::vector<QueueLoad>& most, const std::vector<QueueLoad>& loads) {
  if (most.size() < loads.size()) most.resize(loads.size());
  for (std::size_t i = 0; i < loads.size(); ++i) {
    most[i].writes = std::max(most[i].writes, loads[i].writes);
    most[i].fetch_adds = std::max(most[i].fetch_adds, loads[i].fetch_adds);
  }
}

int Network::add(NicOptions options, Receiver& receiver) {
  auto nic = std::make_unique<Nic>();
  nic->receiver = &receiver;
  nic->flush.nic = nic.get();
  world_->simulator.add(nic->flush);
  nic->requester_sink.network = this;
  nic->responder_sink.network = this;
  for (const QueueLoad& load : options.loads) {
    nic->limited.push_back(world_->mode == sim::Mode::stepwise ||
                           load.fetch_adds > costs_.outstanding ||
                           load.writes + load.fetch_adds > costs_.depth ||
                           (costs_.fenced && load.writes > 0 && load.fetch_adds > 0));
  }
  nic->requester = std::make_unique<sim::Server>(
      world_->simulator, world_->mode, nic->requester_sink, world_->trail,
      sim::Server::Options{options.name + "/nic/requester", 1, resource_id(options.requester)});
  const Picoseconds lookahead =
      costs_.uses_inline ? costs_.wire - costs_.inline_saving : costs_.wire;
  nic->responder = std::make_unique<sim::MergeServer>(
      world_->simulator, world_->mode, nic->responder_sink, world_->trail,
      sim::MergeServer::Options{options.name + "/nic/responder",
                                options.peers * costs_.lanes_per_peer(), lookahead,
                                resource_id(options.responder), resource_id(Resource::wire)});
  nic->requester->observe_queue(world_->observe);
  nic->responder->observe_queue(world_->observe);
  nic->options = std::move(options);
  nics_.push_back(std::move(nic));
  return static_cast<int>(nics_.size()) - 1;
}

std::uint32_t Network::take_flight(const Flight& flight) {
  if (free_flights_.empty()) {
    flights_.push_back(flight);
    return static_cast<std::uint32_t>(flights_.size() - 1);
  }
  const std::uint32_t token = free_flights_.back();
  free_flights_.pop_back();
  flights_[token] = flight;
  return token;
}

int Network::queue_index(Nic& nic, int context, int to) {
  const std::size_t key =
      static_cast<std::size_t>(context) * nics_.size() + static_cast<std::size_t>(to);
  if (key >= nic.queue_of.size()) nic.queue_of.resize(key + nics_.size(), -1);
  std::int32_t& queue = nic.queue_of[key];
  if (queue < 0) {
    queue = static_cast<std::int32_t>(queues_.size());
    Queue& added = queues_.emplace_back();
    added.network = this;
    added.nic = &nic;
    added.key = key;
    world_->simulator.add(added);
  }
  return queue;
}

void Network::post(sim::Simulator& simulator, int from, int to, const Message& message,
                   sim::Cause cause, Resource before) {
  Nic& nic = *nics_[static_cast<std::size_t>(from)];
  if (from == to) {
    nic.receiver->visible(simulator, message, simulator.now(), cause);
    return;
  }
  if (nic.options.counted) {
    world_->ledger.count(message.round, nic.options.outbound, message.phase, message.verb);
  }
  const NicOptions& peer = nics_[static_cast<std::size_t>(to)]->options;
  if (peer.counted) {
    world_->ledger.count(message.round, peer.inbound, message.phase, message.verb);
  }
  Flight flight;
  flight.message = message;
  flight.from = from;
  flight.to = to;
  flight.cause = cause;
  flight.before = before;
  flight.posted = simulator.now();
  if (world_->trace.enabled() && (message.finish || message.release)) {
    flight.message.flow = world_->trace.new_flow();
  }
  if (costs_.flushes) flight.number = context_of(nic, message.context).post();
  const auto context = static_cast<std::size_t>(message.context);
  if (context >= nic.limited.size() || nic.limited[context] == 0) {
    issue(simulator, take_flight(flight));
    return;
  }
  flight.queue = queue_index(nic, message.context, to);
  const std::uint32_t token = take_flight(flight);
  Queue& queue = queues_[static_cast<std::size_t>(flight.queue)];
  if (queue.waiting.empty()) {
    queue.collect_returns(simulator.now());
    const Picoseconds at = queue.room_at(message.verb, simulator.now());
    if (at <= simulator.now()) {
      queue.enter(message.verb);
      issue(simulator, token);
      return;
    }
    queue.wake_at(simulator, at);
  }
  queue.waiting.push(token);
}

ContextFlush& Network::context_of(Nic& nic, int context) {
  const auto index = static_cast<std::size_t>(context);
  if (index >= nic.contexts.size()) nic.contexts.resize(index + 1);
  return nic.contexts[index];
}

void Network::flush(sim::Simulator& simulator, int nic, int context, FlushWaiter& waiter,
                    std::uint32_t token) {
  context_of(*nics_[static_cast<std::size_t>(nic)], context).flush(simulator, waiter, token);
}

void Network::Queue::collect_returns(Picoseconds now) {
  for (; !fetch_add_returns.empty() && fetch_add_returns.front().at <= now;
       fetch_add_returns.pop()) {
    --fetch_adds;
    last_return = fetch_add_returns.front().cause;
  }
  for (; !write_returns.empty() && write_returns.front().at <= now; write_returns.pop()) {
    --writes;
    last_return = write_returns.front().cause;
  }
}

Picoseconds Network::Queue::room_at(Verb verb, Picoseconds now) const {
  const NicCosts& costs = network->costs_;
  const auto first_of = [](const sim::Ring<Return>& returns) {
    return returns.empty() ? sim::kNever : returns.front().at;
  };
  if (verb == Verb::fetch_add) {
    if (costs.fenced && writes > 0) {
      // All of them must be back, so nothing is known while one is still on its way out.
      return write_returns.size() == static_cast<std::size_t>(writes) ? write_returns.back().at
                                                                      : sim::kNever;
    }
    if (fetch_adds >= costs.outstanding) return first_of(fetch_add_returns);
  }
  if (fetch_adds + writes >= costs.depth)
    return std::min(first_of(fetch_add_returns), first_of(write_returns));
  return now;
}

void Network::Queue::enter(Verb verb) { ++(verb == Verb::fetch_add ? fetch_adds : writes); }

void Network::Queue::wake_at(sim::Simulator& simulator, Picoseconds at) {
  if (wake_pending || at == sim::kNever) return;
  wake_pending = true;
  simulator.schedule(at, *this);
}

void Network::Queue::wake(sim::Simulator& simulator) {
  wake_pending = false;
  if (nic->flush.ready.empty()) simulator.schedule(simulator.now(), nic->flush);
  nic->flush.ready.push_back(this);
}

void Network::Flush::wake(sim::Simulator& simulator) {
  std::sort(ready.begin(), ready.end(),
            [](const Queue* a, const Queue* b) { return a->key < b->key; });
  for (Queue* queue : ready) queue->issue_waiting(simulator);
  ready.clear();
}

void Network::Queue::issue_waiting(sim::Simulator& simulator) {
  collect_returns(simulator.now());
  while (!waiting.empty()) {
    Flight& flight = network->flights_[waiting.front()];
    const Picoseconds at = room_at(flight.message.verb, simulator.now());
    if (at > simulator.now()) {
      wake_at(simulator, at);
      return;
    }
    enter(flight.message.verb);
    flight.cause = last_return;
    flight.before = Resource::queue;
    const std::uint32_t token = waiting.front();
    waiting.pop();
    network->issue(simulator, token);
  }
}

Picoseconds Network::requester_service(const Message& message) const {
  const Picoseconds service = costs_.requester[index(message.verb)].of(message.bytes);
  if (message.rings_doorbell) return service + costs_.doorbell;
  return message.verb == Verb::fetch_add ? service - costs_.silent_saving : service;
}

Picoseconds Network::responder_service(const Message& message) const {
  return costs_.responder[index(message.verb)].of(message.bytes);
}

void Network::issue(sim::Simulator& simulator, std::uint32_t token) {
  const Flight& flight = flights_[token];
  Nic& nic = *nics_[static_cast<std::size_t>(flight.from)];
  nic.requester->submit(simulator, token, requester_service(flight.message), flight.cause,
                        resource_id(flight.before));
}

void Network::sent(sim::Simulator& simulator, const sim::Completion& completion) {
  const Flight& flight = flights_[completion.token];
  const Message& message = flight.message;
  if (world_->trace.enabled()) trace_requester(flight, completion.at);
  int lane = message.sender * costs_.lanes_per_peer();
  Picoseconds arrival = completion.at + costs_.wire;
  if (message.verb == Verb::inline_write) {
    lane += 2;
    arrival -= costs_.inline_saving;
  } else if (costs_.fence.count > 0 && message.verb == Verb::fetch_add && message.behind_writes) {
    lane += 1;
    arrival += costs_.fence;
  }
  nics_[static_cast<std::size_t>(flight.to)]->responder->push(
      simulator, lane, arrival, responder_service(message), completion.token, completion.cause);
}

void Network::arrived(sim::Simulator& simulator, const sim::Completion& completion) {
  const Flight flight = flights_[completion.token];
  free_flights_.push_back(completion.token);
  if (world_->trace.enabled()) trace_responder(flight, completion.at);
  if (flight.queue >= 0) {
    Queue& queue = queues_[static_cast<std::size_t>(flight.queue)];
    Picoseconds at = completion.at + costs_.acknowledge;
    sim::Ring<Queue::Return>& returns =
        flight.message.verb == Verb::fetch_add ? queue.fetch_add_returns : queue.write_returns;
    if (!returns.empty()) at = std::max(at, returns.back().at);
    returns.push({at, completion.cause});
    if (!queue.waiting.empty() && !queue.wake_pending) queue.issue_waiting(simulator);
  }
  if (costs_.flushes) {
    context_of(*nics_[static_cast<std::size_t>(flight.from)], flight.message.context)
        .acknowledge(simulator, flight.number, completion.at + costs_.acknowledge,
                     completion.cause);
  }
  Nic& to = *nics_[static_cast<std::size_t>(flight.to)];
  Picoseconds at = completion.at;
  if (costs_.write_latency.count > 0) {
    const bool waits = flight.message.behind_writes || flight.message.verb == Verb::count_write;
    to.visible = std::max(to.visible, waits ? at + costs_.write_latency : at);
    at = to.visible;
  }
  to.receiver->visible(simulator, flight.message, at, completion.cause);
}

void Network::trace_requester(const Flight& flight, Picoseconds end) {
  const std::string& gpu = nics_[static_cast<std::size_t>(flight.from)]->options.name;
  const Picoseconds service = requester_service(flight.message);
  const std::string name =
      describe(flight.message) + " to " + nics_[static_cast<std::size_t>(flight.to)]->options.name;
  world_->trace.slice(gpu + "/nic/requester", name, end - service, service, flight.message.flow);
  world_->trace.slice(gpu + "/queue " + std::to_string(flight.message.context), name, flight.posted,
                      end - flight.posted);
}

void Network::trace_responder(const Flight& flight, Picoseconds end) {
  const Picoseconds service = responder_service(flight.message);
  const std::string& gpu = nics_[static_cast<std::size_t>(flight.to)]->options.name;
  world_->trace.slice(gpu + "/nic/responder",
                      describe(flight.message) + " from " +
                          nics_[static_cast<std::size_t>(flight.from)]->options.name,
                      end - service, service, flight.message.flow);
}

}  // namespace fanin::model
