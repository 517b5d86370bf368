// Kernels on one GPU stream: each starts a launch gap after its predecessor's end, or early, when
// the predecessor allows it (programmatic dependent launch).
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "fanin/hw/units.hpp"
#include "fanin/model/sim/simulator.hpp"

namespace fanin::sim {

class Stream;

/// What a kernel does. It ends by calling Stream::finish.
class KernelBody {
 public:
  /// Its CTAs run from now on.
  virtual void start(Simulator& simulator) = 0;
  /// Its predecessor has ended and its memory is visible. Comes after start() when the kernel was
  /// launched early, at the same time as start() otherwise.
  virtual void predecessor_ended(Simulator& simulator) = 0;

 protected:
  ~KernelBody() = default;
};

struct LaunchSpan {
  int kernel = 0;  ///< index in the stream
  Picoseconds start;
  Picoseconds end;
};

/// The kernels run again and again in the order given, until `rounds` are done.
class Stream final : public Actor {
 public:
  struct Kernel {
    KernelBody* body = nullptr;
    Picoseconds gap;     ///< from the predecessor's end to the start
    bool early = false;  ///< may start `early_gap` after its predecessor allows it
    Picoseconds early_gap;
  };

  Stream(Simulator& simulator, std::string name, std::vector<Kernel> kernels, int rounds);

  /// Starts the first kernel `at`.
  void begin(Simulator& simulator, Picoseconds at);
  /// The running kernel lets its successor start early (cudaTriggerProgrammaticLaunchCompletion).
  void allow_next(Simulator& simulator);
  /// The oldest running kernel ends now.
  void finish(Simulator& simulator);

  /// All launches so far, in order of start; `end` is kNever while a kernel runs.
  const std::vector<LaunchSpan>& launches() const { return launches_; }
  /// Precondition: a kernel runs.
  const LaunchSpan& oldest_running() const { return launches_[static_cast<std::size_t>(ended_)]; }
  bool finished() const { return ended_ == total_; }
  /// Kernels of the sequence.
  std::size_t kernels() const { return kernels_.size(); }

  void wake(Simulator& simulator) override;
  std::string name() const override { return name_; }
  std::string waiting_for() const override;

 private:
  const Kernel& kernel(std::int64_t launch) const {
    return kernels_[static_cast<std::size_t>(launch) % kernels_.size()];
  }
  void start_next(Simulator& simulator);

  std::string name_;
  std::vector<Kernel> kernels_;
  std::vector<LaunchSpan> launches_;
  std::int64_t total_;
  std::int64_t ended_ = 0;
  std::int64_t allowed_ = 0;       // launches up to this one may start early
  Picoseconds start_at_ = kNever;  // of the next launch, when scheduled
};

}  // namespace fanin::sim
