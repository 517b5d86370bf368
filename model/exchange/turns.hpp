// The order of what warps do at one and the same time.
#pragma once

#include <algorithm>
#include <cstdint>
#include <functional>
#include <utility>
#include <vector>

#include "fanin/model/sim/simulator.hpp"

namespace fanin::model {

/// Warps that are due at one time act in order of their numbers, once all of them are due. Without
/// it their order would be that of scheduling, which depends on whether servers tell ends in
/// advance.
class Turns final : public sim::Actor {
 public:
  Turns(sim::Simulator& simulator, std::function<void(sim::Simulator&, std::uint32_t)> act)
      : act_(std::move(act)) {
    simulator.add(*this);
  }
  void due(sim::Simulator& simulator, std::uint32_t warp) {
    if (due_.empty()) simulator.schedule(simulator.now(), *this);
    due_.push_back(warp);
  }
  void wake(sim::Simulator& simulator) override {
    std::vector<std::uint32_t> acting;
    acting.swap(due_);
    std::sort(acting.begin(), acting.end());
    for (const std::uint32_t warp : acting) act_(simulator, warp);
  }

 private:
  std::function<void(sim::Simulator&, std::uint32_t)> act_;
  std::vector<std::uint32_t> due_;
};

}  // namespace fanin::model
