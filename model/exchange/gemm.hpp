// GEMMs that run beside an exchange on its GPUs, on any path: what they cost its kernels, and what
// its kernels cost them. Fitted inside one NVLink domain only; elsewhere the same rules are
// assumed.
#pragma once

#include "fanin/hw/profile.hpp"
#include "fanin/model/simulate.hpp"

namespace fanin::model {

class GemmLoad {
 public:
  GemmLoad(const Exchange& exchange, const hw::Profile& profile);

  bool on_attention() const { return solo_us_ > 0.0 && on_ != GemmSide::ffn; }
  bool on_ffn() const { return solo_us_ > 0.0 && on_ != GemmSide::attention; }

  /// A kernel that wants all SMs waits until the GEMM's CTAs leave them.
  Picoseconds launch_wait(bool ffn) const {
    return (ffn ? on_ffn() : on_attention()) ? launch_wait_ : Picoseconds{};
  }
  /// Factor on the copy epilogue's rows, which compete for SMs and memory.
  double epilogue_slowdown() const { return on_ffn() ? epilogue_slowdown_ : 1.0; }

  /// A GEMM runs slower by `gemm.displacement` times the share of SM time that kernels of the
  /// exchange take from it while they work; a kernel that only waits for data costs it nothing.
  /// nullopt without a load. Precondition: result.exchange and result.kernels are filled in.
  std::optional<GemmTimes> times(const Exchange& exchange, const SimulationResult& result) const;

 private:
  double busy_share(const SimulationResult& result, int device) const;

  double solo_us_;
  GemmSide on_;
  Picoseconds launch_wait_;
  double epilogue_slowdown_;
  double displacement_;
  int gpu_sms_;
};

}  // namespace fanin::model
