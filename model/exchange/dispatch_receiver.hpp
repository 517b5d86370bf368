// An FFN GPU's dispatch kernel: notify, and one forward warp a channel.
#pragma once

#include <cstdint>
#include <deque>
#include <functional>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "fanin/model/sim/barrier.hpp"
#include "fanin/model/sim/ring.hpp"
#include "fanin/model/sim/server.hpp"
#include "network.hpp"
#include "plan.hpp"
#include "sm_servers.hpp"
#include "world.hpp"

namespace fanin::model {

class DispatchReceiver final : public sim::Actor,
                               public sim::KernelBody,
                               public sim::Sink,
                               public Receiver {
 public:
  /// `exit` is the domain's barrier over NVLink at the kernel's end.
  DispatchReceiver(World& world, const Plan& plan, Timeline& timeline, int domain, int rail,
                   sim::Barrier& exit);

  void start(sim::Simulator&) override {}
  void predecessor_ended(sim::Simulator& simulator) override;
  void wake(sim::Simulator& simulator) override;
  std::string name() const override { return timeline_->name + "/dispatch"; }
  std::string waiting_for() const override;

  void visible(sim::Simulator& simulator, const Message& message, Picoseconds at,
               sim::Cause cause) override;
  /// A row that its SM's server has forwarded; told with its channel's number.
  void done(sim::Simulator& simulator, const sim::Completion& completion) override;

  /// Called when the exit barrier has opened, before the kernel ends.
  std::function<void(sim::Simulator&, sim::Cause)> after_exit;

  /// Servers of the SMs that forward rows.
  const std::deque<sim::Server>& sms() const { return sms_.servers(); }

 private:
  struct Tail {
    Picoseconds at;
    std::int32_t rows;
    sim::Cause cause;
  };
  /// A channel. Only one with rows is ever woken.
  struct Warp final : sim::Actor {
    DispatchReceiver* receiver = nullptr;
    int channel = 0;
    std::int32_t rows_left = 0;
    std::int32_t in_hand = 0;     // rows of the source picked, not yet forwarded
    std::int64_t last_flow = -1;  // of the finish that came last
    bool begun = false;           // has forwarded a row
    int turn = 0;                 // source that the round-robin looks at next
    Picoseconds busy_until;
    sim::Cause cause = sim::kNoCause;
    sim::Gather finishes;
    std::vector<sim::Ring<Tail>> tails;  // by source, visible or about to be
    std::vector<std::int32_t> rows_of;   // by source, not yet picked
    void wake(sim::Simulator& simulator) override { receiver->step(simulator, *this); }
  };
  enum class Step { poll, exit, after_barrier };  // one after another

  void arm();
  int finishes_expected(int channel) const;
  void begin_polling(sim::Simulator& simulator);
  void notify_if_ready(sim::Simulator& simulator);
  void step(sim::Simulator& simulator, Warp& warp);
  /// Takes a source's oldest visible tail in hand; the number of sources passed over, -1: nothing
  /// to take.
  int pick(Warp& warp, Picoseconds now);
  void end_if_complete(sim::Simulator& simulator, Warp& warp);
  void part_ended(sim::Simulator& simulator, Picoseconds at, sim::Cause cause);
  /// A warp can see nothing before it polls, whenever the words came.
  void passed(Point point, Picoseconds at);

  World* world_;
  const Plan* plan_;
  Timeline* timeline_;
  sim::Barrier* exit_;
  int domain_;
  int rail_;
  int round_ = 0;
  bool polling_ = false;
  Step step_ = Step::poll;
  Picoseconds begin_;
  sim::Cause poll_ = sim::kNoCause;
  std::deque<Warp> warps_;
  SmServers sms_;
  Picoseconds row_service_;
  Picoseconds poll_at_;
  sim::Gather counts_;                                // count WRITEs
  sim::Gather ending_;                                // channels, notify, zero counts
  std::vector<std::pair<Point, Picoseconds>> early_;  // before polling, while points are kept
};

}  // namespace fanin::model
