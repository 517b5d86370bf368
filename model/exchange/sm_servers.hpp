// Servers of one kernel's SMs, each shared by the warps of that SM's channels.
#pragma once

#include <deque>
#include <string>

#include "fanin/model/sim/server.hpp"
#include "plan.hpp"
#include "world.hpp"

namespace fanin::model {

class SmServers {
 public:
  /// One server for each of `sms` SMs, named `track` and its number; the sink must outlive them.
  void add(World& world, const Plan& plan, sim::Sink& sink, const std::string& track, int sms,
           Resource resource) {
    channels_per_sm_ = plan.exchange().channels_per_sm;
    for (int sm = 0; sm < sms; ++sm) {
      servers_.emplace_back(
          world.simulator, world.mode, sink, world.trail,
          sim::Server::Options{track + std::to_string(sm), 1, resource_id(resource)});
    }
  }
  bool empty() const { return servers_.empty(); }
  sim::Server& of_channel(int channel) {
    return servers_[static_cast<std::size_t>(channel / channels_per_sm_)];
  }
  std::deque<sim::Server>& servers() { return servers_; }
  const std::deque<sim::Server>& servers() const { return servers_; }

 private:
  int channels_per_sm_ = 1;
  std::deque<sim::Server> servers_;
};

}  // namespace fanin::model
