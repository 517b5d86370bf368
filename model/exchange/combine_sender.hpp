// An FFN GPU's combine kernel: rows come over NVLink to the GPU on the right rail, where one
// forward warp a channel reduces and sends them.
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

class CombineSender final : public sim::Actor,
                            public sim::KernelBody,
                            public sim::Sink,
                            public FlushWaiter {
 public:
  /// `entry` is the domain's barrier over NVLink at the kernel's start.
  CombineSender(World& world, const Plan& plan, Network& network, Timeline& timeline, int domain,
                int rail, sim::Barrier& entry);

  void start(sim::Simulator&) override {}
  void predecessor_ended(sim::Simulator& simulator) override;
  void wake(sim::Simulator& simulator) override;
  std::string name() const override { return timeline_->name + "/combine"; }
  void done(sim::Simulator& simulator, const sim::Completion& completion) override;

  /// A channel's rows are acknowledged: its finishes may go.
  void flushed(sim::Simulator& simulator, std::uint32_t warp, Picoseconds at,
               sim::Cause cause) override;

  /// What goes out when the kernel starts, before its entry barrier: releases, and with fix 1 the
  /// finishes of pairs without rows. A symmetric kernel, whose barrier begins with the other
  /// domains' half, calls it; a role kernel does by itself.
  void post_before_entry(sim::Simulator& simulator, sim::Cause cause);
  /// Fix 1, at=exit: the dispatch kernel's exit barrier has opened.
  void dispatch_exited(sim::Simulator& simulator, sim::Cause cause);

 private:
  struct Row {
    std::int32_t source;
    Picoseconds
        ready;  ///< usable this long after the first post: its tail group has come over NVLink
  };
  /// A channel with rows: a serial chain of them, then its finishes.
  struct Warp final : sim::Actor {
    CombineSender* sender = nullptr;
    std::uint32_t index = 0;  // in warps_
    int channel = 0;
    std::vector<Row> rows;
    std::size_t next = 0;
    bool waits_for_sm = false;
    bool flushes = false;
    sim::Cause cause = sim::kNoCause;
    void wake(sim::Simulator& simulator) override { sender->warp_due(simulator, *this); }
  };
  enum class Step { barrier, first_posts, end };  // one after another

  void plan_rows();
  /// When each row is ready. Each channel's scale-up warp sends one row a round. Warps that share
  /// the link go on together: a round lasts as long as all its rows on the link, and what a warp
  /// takes for it beside. Else the link serves one warp after another.
  void plan_rounds(const std::vector<std::vector<float>>& copies, std::size_t rounds);
  /// From the entry barrier to the first posts.
  Picoseconds entry_time() const;
  void begin_row(sim::Simulator& simulator, Warp& warp);
  /// Directly, or where warps share SMs and so may be due at one time, in their turn.
  void warp_due(sim::Simulator& simulator, Warp& warp);
  void act(sim::Simulator& simulator, Warp& warp);
  void row_sent(sim::Simulator& simulator, Warp& warp);
  void end_channel(sim::Simulator& simulator, Warp& warp);
  void post_first(sim::Simulator& simulator);
  void post_finish(sim::Simulator& simulator, int channel, int source, bool ring, sim::Cause cause);
  /// The finishes of (channel, source) pairs that carried nothing, where a fix posts them early.
  void post_empty_pairs(sim::Simulator& simulator, sim::Cause cause);
  void post_releases(sim::Simulator& simulator, sim::Cause cause);
  int rows(int channel, int source) const {
    return plan_->combine.lane(rail_, source, domain_).rows(channel);
  }
  bool posts_at_channel_end(int channel, int source) const;
  void part_posted(sim::Simulator& simulator, sim::Cause cause);

  World* world_;
  const Plan* plan_;
  Network* network_;
  Timeline* timeline_;
  sim::Barrier* entry_;
  int domain_;
  int rail_;
  int nic_;
  int round_ = 0;
  Step step_ = Step::barrier;
  Picoseconds first_post_at_;
  sim::Cause first_post_ = sim::kNoCause;
  std::deque<Warp> warps_;
  std::vector<std::int32_t> empty_;  // channels without rows, in order
  SmServers sms_;                    // only where the warps of an SM take turns
  Turns turns_;
  sim::Gather posted_;
};

}  // namespace fanin::model
