// The RDMA half of a symmetric kernel's entry barrier: each rank signals its rail peers in all
// other domains and waits for theirs, before the kernel's body starts.
#pragma once

#include <functional>
#include <string>

#include "fanin/model/sim/barrier.hpp"
#include "network.hpp"
#include "world.hpp"

namespace fanin::model {

class DomainEntry final : public sim::Actor, public sim::KernelBody {
 public:
  /// `domain` of `domains` on `rail` of `rails`; NIC numbers are domain · rails + rail.
  struct Place {
    int domain;
    int domains;
    int rail;
    int rails;
  };
  DomainEntry(World& world, Network& network, Timeline& timeline, sim::KernelBody& body,
              Phase phase, Place place);

  void start(sim::Simulator& simulator) override { body_->start(simulator); }
  void predecessor_ended(sim::Simulator& simulator) override;
  void wake(sim::Simulator& simulator) override;
  std::string name() const override { return timeline_->name + "/entry barrier"; }
  std::string waiting_for() const override;

  /// Called when the kernel starts, before its own signals.
  std::function<void(sim::Simulator&, sim::Cause)> before_signals;

  /// A peer's signal is visible.
  void arrive(sim::Simulator& simulator, Picoseconds at, sim::Cause cause);

 private:
  void open_if_complete(sim::Simulator& simulator);

  World* world_;
  Network* network_;
  Timeline* timeline_;
  sim::KernelBody* body_;
  Phase phase_;
  Place place_;
  int round_ = 0;
  bool waiting_ = false;
  Picoseconds begin_;
  sim::Gather signals_;
};

}  // namespace fanin::model
