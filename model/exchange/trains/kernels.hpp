// Kernels of one GPU of an exchange whose rows travel as trains (nvlink, direct): dispatch, copy
// epilogue, combine. The reduce epilogue is a FixedKernel. Attention GPUs send in dispatch and
// receive in combine.
#pragma once

#include <functional>
#include <optional>
#include <string>

#include "../world.hpp"
#include "fanin/model/sim/barrier.hpp"
#include "links.hpp"

namespace fanin::model {

/// Waits until everything that was announced has come, then ends; what comes before it runs is
/// kept.
class TrainDispatch final : public sim::Actor, public sim::KernelBody {
 public:
  struct Options {
    int attention = -1;             ///< number of the Attention GPU; -1: an FFN GPU
    int expected = 0;               ///< arrivals that the kernel waits for
    int counts = 0;                 ///< counts that its copy epilogue waits for; 0: it has no rows
    sim::Barrier* entry = nullptr;  ///< over all GPUs; null: none
    Picoseconds payload_delay;
    std::function<void()> opened;                           ///< past its entry barrier
    std::function<void(Picoseconds, sim::Cause)> announce;  ///< floors and counts to all that wait
    std::function<void(sim::Cause)> send;                   ///< its rows, now
  };
  TrainDispatch(World& world, Timeline& timeline, Options options);

  void start(sim::Simulator&) override {}
  void predecessor_ended(sim::Simulator& simulator) override;
  void wake(sim::Simulator& simulator) override;
  std::string name() const override { return timeline_->name + "/dispatch"; }
  std::string waiting_for() const override;

  void arrive(sim::Simulator& simulator, Picoseconds at, sim::Cause cause);
  void counts_arrive(sim::Simulator& simulator, Picoseconds at, sim::Cause cause);

 private:
  void open(sim::Simulator& simulator, sim::Cause cause);
  void look_ahead(sim::Simulator& simulator);

  World* world_;
  Timeline* timeline_;
  Options options_;
  int round_ = -1;
  bool running_ = false;
  bool entering_ = false;
  bool counted_ = false;
  Picoseconds begin_;
  Picoseconds payload_at_ = sim::kNever;
  Picoseconds counts_at_ = sim::kNever;
  Picoseconds end_at_ = sim::kNever;
  sim::Cause opened_ = sim::kNoCause;
  sim::Gather arrivals_;
  sim::Gather counts_;
};

class CopyEpilogue final : public sim::Actor, public sim::KernelBody {
 public:
  /// `overlap_exit`: set in the bound that does not wait for its rows, only for counts and its own
  /// work; then the least time from the end of dispatch to its own.
  CopyEpilogue(World& world, Timeline& timeline, Picoseconds duration,
               std::optional<Picoseconds> overlap_exit);

  void start(sim::Simulator& simulator) override { started_ = simulator.now(); }
  void predecessor_ended(sim::Simulator& simulator) override;
  void wake(sim::Simulator& simulator) override;
  std::string name() const override { return timeline_->name + "/copy epilogue"; }

 private:
  World* world_;
  Timeline* timeline_;
  Picoseconds duration_;
  std::optional<Picoseconds> overlap_exit_;
  Picoseconds started_;
  Picoseconds ready_;
};

class TrainCombine final : public sim::Actor, public sim::KernelBody {
 public:
  struct Options {
    int ffn = -1;                   ///< number of the FFN GPU, which sends; -1: an Attention GPU
    int expected = 0;               ///< FFN: its own flows; Attention: FFN GPUs to hear from
    sim::Barrier* entry = nullptr;  ///< over all GPUs; null: none
    /// FFN: how long the kernel takes when its rows are through `stream` after its start, and
    /// whether something else than those rows takes the longest; Attention: unused.
    std::function<Picoseconds(Picoseconds stream)> duration;
    std::function<bool(Picoseconds stream)> outlasts;
    std::function<void()> opened;  ///< past its entry barrier
    std::function<void(sim::Cause)> send;
    std::function<void(Picoseconds, sim::Cause)> ended;  ///< tells the Attention GPUs
  };
  TrainCombine(World& world, Timeline& timeline, Options options);

  void start(sim::Simulator&) override {}
  void predecessor_ended(sim::Simulator& simulator) override;
  void wake(sim::Simulator& simulator) override;
  std::string name() const override { return timeline_->name + "/combine"; }
  std::string waiting_for() const override;

  void arrive(sim::Simulator& simulator, Picoseconds at, sim::Cause cause);

 private:
  void open(sim::Simulator& simulator, sim::Cause cause);
  void end_if_complete(sim::Simulator& simulator);

  World* world_;
  Timeline* timeline_;
  Options options_;
  bool running_ = false;
  bool entering_ = false;
  bool ending_ = false;
  Picoseconds begin_;
  sim::Cause opened_ = sim::kNoCause;
  sim::Gather arrivals_;
};

}  // namespace fanin::model
