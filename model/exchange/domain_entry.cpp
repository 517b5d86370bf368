#include "domain_entry.hpp"

#include <algorithm>

namespace fanin::model {

DomainEntry::DomainEntry(World& world, Network& network, Timeline& timeline, sim::KernelBody& body,
                         Phase phase, Place place)
    : world_(&world),
      network_(&network),
      timeline_(&timeline),
      body_(&body),
      phase_(phase),
      place_(place) {
  world.simulator.add(*this);
  signals_.expect(place.domains - 1);
}

void DomainEntry::predecessor_ended(sim::Simulator& simulator) {
  waiting_ = true;
  begin_ = simulator.now();
  if (before_signals) before_signals(simulator, timeline_->cause);
  Message message;
  message.phase = phase_;
  message.barrier = true;
  message.sender = place_.domain;
  message.round = round_++;
  for (int domain = 0; domain < place_.domains; ++domain) {
    if (domain == place_.domain) continue;
    network_->post(simulator, place_.domain * place_.rails + place_.rail,
                   domain * place_.rails + place_.rail, message, timeline_->cause,
                   Resource::launch);
  }
  open_if_complete(simulator);
}

void DomainEntry::arrive(sim::Simulator& simulator, Picoseconds at, sim::Cause cause) {
  signals_.arrive(at, cause);
  open_if_complete(simulator);
}

void DomainEntry::open_if_complete(sim::Simulator& simulator) {
  if (waiting_ && signals_.complete())
    simulator.schedule(std::max(begin_, signals_.latest()), *this);
}

void DomainEntry::wake(sim::Simulator& simulator) {
  const Picoseconds now = simulator.now();
  if (signals_.latest() >= begin_) {
    timeline_->cause = world_->record(now, now, signals_.cause(), Resource::domain_barrier,
                                      Resource::domain_barrier);
  }
  waiting_ = false;
  signals_.expect(place_.domains - 1);
  body_->predecessor_ended(simulator);
}

std::string DomainEntry::waiting_for() const {
  if (!waiting_) return {};
  return std::to_string(signals_.missing()) + " entry signals of other domains";
}

}  // namespace fanin::model
