#include "links.hpp"

namespace fanin::model {

Links::Links(World& world, RowReceiver& receiver, const Side& senders, const Side& receivers)
    : world_(&world),
      receiver_(&receiver),
      receivers_(receivers.gpus.size()),
      flows_(senders.gpus.size() * receivers.gpus.size()),
      sender_names_(senders.gpus),
      egress_times_(senders.gpus.size()),
      ingress_times_(senders.gpus.size()) {
  const auto add = [&](std::deque<sim::Server>& servers, const Side& side, bool out) {
    for (std::size_t i = 0; i < side.gpus.size(); ++i) {
      Port& port = ports_.emplace_back();
      port.links = this;
      port.index = static_cast<int>(i);
      port.out = out;
      servers.emplace_back(
          world.simulator, world.mode, port, world.trail,
          sim::Server::Options{side.gpus[i] + side.port.name, 1, resource_id(side.port.resource)});
    }
  };
  add(egress_, senders, true);
  add(ingress_, receivers, false);
}

void Links::send(int from, Picoseconds egress, const std::vector<Picoseconds>& ingress,
                 sim::Cause cause) {
  for (std::size_t to = 0; to < receivers_; ++to)
    flows_[static_cast<std::size_t>(from) * receivers_ + to] = {};
  const auto token = static_cast<std::uint32_t>(from);
  egress_times_[token] = egress;
  ingress_times_[token] = ingress;
  egress_[token].submit(world_->simulator, token, egress, cause, resource_id(Resource::launch));
  for (std::size_t to = 0; to < receivers_; ++to) {
    ingress_[to].submit(world_->simulator, token, ingress[to], cause,
                        resource_id(Resource::launch));
  }
}

void Links::Port::done(sim::Simulator& simulator, const sim::Completion& completion) {
  const int from = static_cast<int>(completion.token);
  links->trace(*this, completion);
  if (!out) {
    links->part_done(simulator, from, index, completion);
    return;
  }
  for (std::size_t to = 0; to < links->receivers_; ++to)
    links->part_done(simulator, from, static_cast<int>(to), completion);
}

void Links::trace(const Port& port, const sim::Completion& completion) {
  if (!world_->trace.enabled()) return;
  const auto index = static_cast<std::size_t>(port.index);
  const std::string track = (port.out ? egress_ : ingress_)[index].name();
  const auto from = static_cast<std::size_t>(completion.token);
  const Picoseconds service = port.out ? egress_times_[from] : ingress_times_[from][index];
  if (service.count == 0) return;
  world_->trace.slice(track, port.out ? "rows" : "rows of " + sender_names_[from],
                      completion.at - service, service);
}

void Links::part_done(sim::Simulator& simulator, int from, int to,
                      const sim::Completion& completion) {
  Flow& flow = flows_[static_cast<std::size_t>(from) * receivers_ + static_cast<std::size_t>(to)];
  if (completion.at >= flow.at) {
    flow.at = completion.at;
    flow.cause = completion.cause;
  }
  if (++flow.parts == 2) receiver_->rows_arrived(simulator, from, to, flow.at, flow.cause);
}

std::vector<const sim::Server*> Links::servers() const {
  std::vector<const sim::Server*> servers;
  for (const sim::Server& server : egress_) servers.push_back(&server);
  for (const sim::Server& server : ingress_) servers.push_back(&server);
  return servers;
}

}  // namespace fanin::model
