// Ports of GPUs in one direction of an exchange: rows go out of the sender's port and into the
// receiver's, over NVLink or from NIC to NIC. A port serves all its peers' rows turn by turn, so
// that all of a sender's rows leave it together: one train a sender, not one event a row.
#pragma once

#include <deque>
#include <string>
#include <vector>

#include "../world.hpp"
#include "fanin/model/sim/server.hpp"
#include "train_plan.hpp"

namespace fanin::model {

/// Is told of the rows of one GPU that have reached another one.
class RowReceiver {
 public:
  /// `at` ≥ now in advance mode, == now stepwise.
  virtual void rows_arrived(sim::Simulator& simulator, int from, int to, Picoseconds at,
                            sim::Cause cause) = 0;

 protected:
  ~RowReceiver() = default;
};

class Links {
 public:
  struct Side {
    std::vector<std::string> gpus;
    TrainPort port;
  };
  Links(World& world, RowReceiver& receiver, const Side& senders, const Side& receivers);

  /// Sends now. `ingress[r]`: what receiver r's port takes for the rows that go to it; 0: none go,
  /// and its arrival is told all the same.
  void send(int from, Picoseconds egress, const std::vector<Picoseconds>& ingress,
            sim::Cause cause);

  std::vector<const sim::Server*> servers() const;

 private:
  struct Port final : sim::Sink {
    Links* links = nullptr;
    int index = 0;
    bool out = false;
    void done(sim::Simulator& simulator, const sim::Completion& completion) override;
  };
  struct Flow {
    int parts = 0;
    Picoseconds at;
    sim::Cause cause = sim::kNoCause;
  };
  void trace(const Port& port, const sim::Completion& completion);
  void part_done(sim::Simulator& simulator, int from, int to, const sim::Completion& completion);

  World* world_;
  RowReceiver* receiver_;
  std::size_t receivers_;
  std::vector<Flow> flows_;  // [from · receivers + to]
  std::vector<std::string> sender_names_;
  std::vector<Picoseconds> egress_times_;                // of each sender's last train
  std::vector<std::vector<Picoseconds>> ingress_times_;  // [from][to]
  std::deque<Port> ports_;
  std::deque<sim::Server> egress_;
  std::deque<sim::Server> ingress_;
};

}  // namespace fanin::model
