// Epilogue kernels: a constant, and rows that its CTAs and the GPU's memory move.
#pragma once

#include <algorithm>
#include <deque>

#include "fanin/model/sim/server.hpp"
#include "world.hpp"

namespace fanin::model {

class Epilogue;

/// The memory system of a GPU on which several ranks sit. Epilogues that run at one time take turns
/// on it, so that the last of them ends when all bytes have been moved.
class SharedMemory final : public sim::Sink {
 public:
  explicit SharedMemory(World& world)
      : server_(world.simulator, world.mode, *this, world.trail,
                {"memory", 1, resource_id(Resource::attention_reduce)}) {}

  std::uint32_t add(Epilogue& user) {
    users_.push_back(&user);
    return static_cast<std::uint32_t>(users_.size() - 1);
  }
  sim::Server& server() { return server_; }
  void done(sim::Simulator& simulator, const sim::Completion& completion) override;

 private:
  sim::Server server_;
  std::deque<Epilogue*> users_;
};

/// Ends `constant` after its CTAs have moved their rows and the memory has.
class Epilogue final : public sim::Actor, public sim::KernelBody {
 public:
  struct Times {
    Picoseconds constant;
    Picoseconds ctas;    ///< rows at the rate of its CTAs
    Picoseconds memory;  ///< rows at the rate of the memory
  };

  /// `shared`: null where the memory is the epilogue's alone.
  Epilogue(World& world, Timeline& timeline, const Times& times, Resource resource,
           SharedMemory* shared)
      : world_(&world), timeline_(&timeline), times_(times), resource_(resource), shared_(shared) {
    world.simulator.add(*this);
    if (shared_ != nullptr) token_ = shared_->add(*this);
  }

  void start(sim::Simulator&) override {}
  void predecessor_ended(sim::Simulator& simulator) override {
    begin_ = simulator.now();
    if (shared_ == nullptr) {
      moved(simulator, begin_ + times_.memory);
    } else {
      shared_->server().submit(simulator, token_, times_.memory, timeline_->cause,
                               resource_id(resource_));
    }
  }
  /// The memory has moved its rows `at` ≥ now.
  void moved(sim::Simulator& simulator, Picoseconds at) {
    simulator.schedule(std::max(begin_ + times_.ctas, at) + times_.constant, *this);
  }
  void wake(sim::Simulator& simulator) override {
    timeline_->finish(*world_,
                      world_->record(begin_, simulator.now(), timeline_->cause, resource_));
  }

 private:
  World* world_;
  Timeline* timeline_;
  Times times_;
  Resource resource_;
  SharedMemory* shared_;
  std::uint32_t token_ = 0;
  Picoseconds begin_;
};

inline void SharedMemory::done(sim::Simulator& simulator, const sim::Completion& completion) {
  users_[completion.token]->moved(simulator, completion.at);
}

}  // namespace fanin::model
