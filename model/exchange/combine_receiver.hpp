// An Attention GPU's collect kernel: waits for the finish words of all channels and clears them.
#pragma once

#include <string>
#include <vector>

#include "fanin/model/sim/barrier.hpp"
#include "network.hpp"
#include "plan.hpp"
#include "world.hpp"

namespace fanin::model {

class CombineReceiver final : public sim::Actor, public sim::KernelBody, public Receiver {
 public:
  CombineReceiver(World& world, const Plan& plan, Timeline& timeline, int source, int rail);

  void start(sim::Simulator&) override {}
  void predecessor_ended(sim::Simulator& simulator) override;
  void wake(sim::Simulator& simulator) override;
  std::string name() const override { return timeline_->name + "/collect"; }
  std::string waiting_for() const override;

  void visible(sim::Simulator& simulator, const Message& message, Picoseconds at,
               sim::Cause cause) override;

 private:
  void end_if_complete(sim::Simulator& simulator);

  World* world_;
  const Plan* plan_;
  Timeline* timeline_;
  std::int64_t expected_ = 0;
  int round_ = 0;
  bool running_ = false;
  Picoseconds begin_;
  sim::Gather signals_;
  std::vector<Picoseconds> early_;  // finishes that came before the kernel, while points are kept
  std::int64_t last_flow_ = -1;     // of the signal that came last
};

}  // namespace fanin::model
