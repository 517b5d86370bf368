// An Attention GPU's dispatch kernel: notify, and one scale-out warp a channel.
#pragma once

#include <cstdint>
#include <deque>
#include <string>
#include <vector>

#include "fanin/model/sim/barrier.hpp"
#include "network.hpp"
#include "plan.hpp"
#include "sm_servers.hpp"
#include "turns.hpp"
#include "world.hpp"

namespace fanin::model {

class DispatchSender final : public sim::Actor, public sim::KernelBody, public sim::Sink {
 public:
  DispatchSender(World& world, const Plan& plan, Network& network, Timeline& timeline, int source,
                 int rail);

  void start(sim::Simulator&) override {}
  void predecessor_ended(sim::Simulator& simulator) override;
  void wake(sim::Simulator& simulator) override;
  std::string name() const override { return timeline_->name + "/dispatch"; }
  /// A row that its SM's server has staged.
  void done(sim::Simulator& simulator, const sim::Completion& completion) override;

 private:
  /// A channel with rows, one warp: its tokens in order, a row to each FFN domain that one goes to.
  struct Warp final : sim::Actor {
    DispatchSender* sender = nullptr;
    std::uint32_t index = 0;  // in warps_
    int channel = 0;
    int rows = 0;  // the most that one domain gets
    int staged = 0;
    bool signals = false;               // its next event is the signal behind its last row
    std::vector<std::int32_t> covered;  // rows of each domain that a signal has made visible
    sim::Cause cause = sim::kNoCause;
    void wake(sim::Simulator& simulator) override;
  };
  enum class Step { first_posts, counts, end };  // one after another, each its own event

  void post_empty_finishes(sim::Simulator& simulator);
  void post_counts(sim::Simulator& simulator);
  void stage_next(sim::Simulator& simulator, Warp& warp);
  /// Directly, or where warps share SMs and so may be due at one time, in their turn.
  void warp_due(sim::Simulator& simulator, Warp& warp);
  void row_staged(sim::Simulator& simulator, Warp& warp);
  /// Signals what is staged where one is due, and goes on.
  void signal_staged(sim::Simulator& simulator, Warp& warp);
  void signal(sim::Simulator& simulator, Warp& warp, int domain, bool finish);
  /// WRITEs of `rows` rows of the channel to that domain.
  void post_rows(sim::Simulator& simulator, Warp& warp, int domain, int rows);
  Message finish_of(int channel, int rows) const;
  void part_posted(sim::Simulator& simulator, sim::Cause cause);
  /// Rows until the next signal is due: they need no event of their own unless warps take turns.
  int rows_to_next_signal(const Warp& warp) const;
  const Lane& lane(int domain) const { return plan_->dispatch.lane(rail_, source_, domain); }

  World* world_;
  const Plan* plan_;
  Network* network_;
  Timeline* timeline_;
  int source_;
  int rail_;
  int nic_;
  int round_ = -1;
  Picoseconds begin_;
  sim::Cause first_post_ = sim::kNoCause;
  std::deque<Warp> warps_;
  std::vector<std::int32_t> empty_;  // channels without any row, in order
  SmServers sms_;                    // only where warps of an SM take turns
  Turns turns_;
  sim::Gather posted_;  // warps with rows, empty channels, notify
  Step step_ = Step::first_posts;
};

}  // namespace fanin::model
