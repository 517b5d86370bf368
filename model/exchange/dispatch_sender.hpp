// An Attention GPU's dispatch kernel: notify, and one scale-out warp a channel.
#pragma once

#include <cstdint>
#include <deque>
#include <string>
#include <vector>

#include "cta_slots.hpp"
#include "fanin/model/sim/barrier.hpp"
#include "network.hpp"
#include "plan.hpp"
#include "sm_servers.hpp"
#include "turns.hpp"
#include "world.hpp"

namespace fanin::model {

class DispatchSender final : public sim::Actor, public sim::KernelBody, public sim::Sink {
 public:
  /// `slots`: the SMs that its CTAs take; null: there is one for each.
  DispatchSender(World& world, const Plan& plan, Network& network, Timeline& timeline, int source,
                 int rail, CtaSlots* slots = nullptr);

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
    std::size_t cta = 0;  // in ctas_
    int rows = 0;         // the most that one domain gets
    int staged = 0;
    bool signals = false;               // its next event is the signal behind its last row
    std::vector<std::int32_t> covered;  // rows of each domain that a signal has made visible
    sim::Cause cause = sim::kNoCause;
    void wake(sim::Simulator& simulator) override;
  };
  /// What starts at one time: a CTA, or all of the kernel's where each has an SM.
  struct Cta final : sim::Actor, WaitingCta {
    DispatchSender* sender = nullptr;
    std::size_t first_empty = 0;  // in empty_
    std::size_t last_empty = 0;   // one past
    std::size_t first_warp = 0;   // in warps_
    std::size_t last_warp = 0;
    bool posts_counts = false;
    bool ends = false;  // at its next event
    Picoseconds begin;
    sim::Cause first_post = sim::kNoCause;
    sim::Gather posted;
    void placed(sim::Simulator& simulator, sim::Cause cause) override;
    void wake(sim::Simulator& simulator) override;
  };
  enum class Step { counts, end };  // one after another, each its own event

  void add_ctas();
  void start_cta(sim::Simulator& simulator, Cta& cta);
  Picoseconds entry_time() const;
  void post_empty_finishes(sim::Simulator& simulator, const Cta& cta);
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
  void part_posted(sim::Simulator& simulator, Cta& cta, sim::Cause cause);
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
  CtaSlots* slots_;
  std::deque<Cta> ctas_;
  std::size_t started_ = 0;             // CTAs of the running kernel
  sim::Cause counted_ = sim::kNoCause;  // first posts of the CTA that started last
  std::deque<Warp> warps_;
  std::vector<std::int32_t> empty_;  // channels without any row, in order
  SmServers sms_;                    // only where warps of an SM take turns
  Turns turns_;
  sim::Gather posted_;  // warps with rows, each CTA's first posts, notify
  Step step_ = Step::counts;
};

}  // namespace fanin::model
