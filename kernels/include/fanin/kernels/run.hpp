// Executes and times exchanges on the GPU: buffers, CUDA graphs, blocks of replays, verification.
#pragma once

#include <cstdint>
#include <map>
#include <stdexcept>
#include <string>
#include <vector>

#include "fanin/kernels/shape.hpp"
#include "fanin/kernels/stamp.hpp"

namespace fanin::kernels {

/// Which blocks' delivered data are compared with the CPU reference.
enum class Check { every, first, off };

enum class TransportKind { nvlink, emulated_nic };

struct RunConfig {
  Shape shape;
  std::vector<int> tokens;  ///< of each Attention rank, ≤ capacity
  /// Experts of token t of Attention rank a at [(a · most + t) · top_k + i], most = largest of
  /// `tokens`; −1: no expert. Experts of one token differ.
  std::vector<std::int32_t> routing;
  TransportKind transport = TransportKind::nvlink;
  std::vector<std::string> nic;  ///< settings of the emulated NIC, "key=value"
  int copy_ctas = 0;             ///< grid of the FFN copy epilogue; 0: the SMs that are free
  int reduce_ctas = 0;           ///< grid of each source's reduce epilogue; 0: likewise
  int graph_exchanges = 10;      ///< exchanges in one CUDA graph
  int replays = 10;              ///< graphs in one timed block
  int blocks = 20;               ///< timed blocks
  int warmup_blocks = 2;
  Check check = Check::every;
  std::uint64_t data_seed = 1;  ///< rows and weights; each checked block draws new ones
  double timeout_ms = 500.0;    ///< of every spin
  bool stamps = false;          ///< record in-kernel stamps of the last block
  /// All kernels on one stream, in an order in which none waits for a later one: for tools that let
  /// only one kernel run at a time. Only with `nvlink` and one GPU a domain; the times say nothing.
  bool serial = false;

  /// Throws ConfigError for the first thing that is wrong.
  void validate() const;
};

/// SMs that one kernel's CTAs ran on, by CTA.
struct Placement {
  std::string kernel;
  int rank = 0;
  std::vector<int> sms;
};

/// Stamps of one warp, oldest first.
struct WarpStamps {
  std::string kernel;
  int rank = 0;
  int warp = 0;  ///< over the grid
  std::vector<Stamp> stamps;
};

struct RunResult {
  std::vector<double> block_us;  ///< largest over Attention ranks of time per exchange, by block
  double median_us = 0.0;
  std::size_t checked_blocks = 0;
  std::size_t checked_bytes = 0;
  std::vector<Placement> placement;
  std::vector<int> nic_sms;  ///< SMs of the emulated NIC
  std::string nic_name;      ///< its setting, as in the cluster's name; empty without one
  std::vector<WarpStamps> stamps;
  /// Time at which collect saw each finish word of its last exchange, by Attention rank: [FFN
  /// domain · C + channel].
  std::vector<std::vector<std::uint64_t>> matched_ns;
  /// Time at which the rank's emulated NIC performed each finish of the last exchange, in the
  /// same order; 0: not recorded. Empty without a NIC.
  std::vector<std::vector<std::uint64_t>> served_ns;
};

/// The exchange did not do what it should: wrong data, a stalled wait, a failed CUDA call.
class RunFailure : public std::runtime_error {
 public:
  using std::runtime_error::runtime_error;
};

struct Machine {
  std::string gpu;
  std::string driver;
  int sms = 0;
  int sm_clock_mhz = 0;  ///< now; 0 where the management library is missing
  int max_sm_clock_mhz = 0;
};

/// Throws RunFailure without a usable GPU; ask missing() first.
Machine machine();

/// Throws ConfigError for what cannot run, RunFailure for what went wrong while running.
RunResult run_exchange(const RunConfig& config);

/// Time of a plain copy kernel on `ctas` SMs that moves as many bytes as the rows of one dispatch:
/// median over `repeats`, in µs, beside that of the Attention dispatch kernels alone on `shape.sms`
/// SMs.
struct CopyGoal {
  double plain_us = 0.0;
  double dispatch_us = 0.0;
  std::size_t bytes = 0;  ///< read plus written
};
CopyGoal measure_copy_goal(const RunConfig& config, int repeats);

}  // namespace fanin::kernels
