// Launches the role kernels of one exchange for each rank, over one transport. The runner does not
// depend on which one it is.
#pragma once

#include <cuda_runtime.h>

#include <memory>
#include <span>
#include <string>
#include <vector>

#include "fanin/kernels/emulated_nic.hpp"
#include "fanin/kernels/run.hpp"
#include "world.cuh"

namespace fanin::kernels {

/// Grid sizes and shared memory that follow from the configuration and the device.
struct LaunchPlan {
  int copy_ctas = 0;
  int copy_warps = 0;  ///< of one CTA
  int reduce_ctas = 0;
  int stages = 0;    ///< rows in shared memory of one scale-out warp
  int whole_sm = 0;  ///< dynamic shared memory that fills an SM, so that its CTA is alone on it
  std::uint64_t limit_ns = 0;
};

/// Throws ConfigError, with the sum, where the exchange cannot make progress or a row does not fit.
LaunchPlan plan_launches(const RunConfig& config, int nic_sms);

class Launcher {
 public:
  virtual ~Launcher() = default;
  /// Raises the shared-memory limits and loads the kernels.
  virtual void prepare() = 0;
  /// A1 and A2 of one exchange; A1 waits for no other rank. `source`: an Attention rank, 0 … S·U
  /// − 1.
  virtual void source_send(int source, cudaStream_t stream) = 0;
  /// A3 and A4.
  virtual void source_receive(int source, cudaStream_t stream) = 0;
  /// F1 … F4 of one exchange.
  virtual void ffn_exchange(int ffn, cudaStream_t stream) = 0;
  /// A1 alone.
  virtual void dispatch_only(int source, cudaStream_t stream) = 0;
};

/// What carries puts and adds, and the SMs that it keeps while a block runs.
class Carrier {
 public:
  virtual ~Carrier() = default;
  virtual std::string name() const { return {}; }
  virtual int sms() const { return 0; }
  virtual std::unique_ptr<Launcher> launcher(const World& world, const LaunchPlan& plan,
                                             bool stamps) = 0;
  virtual void start(StallReport*, std::uint64_t /*limit_ns*/) {}
  /// Enqueues the stop behind these events; does not wait.
  virtual void stop_behind(std::span<const cudaEvent_t> /*posted*/) {}
  virtual void stop() {}
  virtual std::vector<int> placement() const { return {}; }
  /// What carried the last signals to `rank`, oldest first; empty unless stamps are recorded.
  virtual std::vector<ServedAt> served(int /*rank*/) const { return {}; }
};

std::unique_ptr<Carrier> make_nvlink_carrier();
std::unique_ptr<Carrier> make_nic_carrier(const RunConfig& config);

}  // namespace fanin::kernels
