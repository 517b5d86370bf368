// The emulated NIC as the host sees it: owns rings and counters, starts the persistent kernel
// before a block of work and stops it after. One NIC a rank, all on one GPU.
#pragma once

#include <cstdint>
#include <memory>
#include <span>
#include <utility>
#include <vector>

#include "fanin/kernels/nic_settings.hpp"
#include "fanin/kernels/stall.hpp"

struct CUevent_st;  // what cudaEvent_t points to

namespace fanin::kernels {

namespace device {
struct EmulatedNicTransport;  // fanin/kernels/device/emulated_nic.cuh
}

struct NicTopology {
  int ranks = 0;                           ///< world ranks, 1…64
  int queues = 0;                          ///< contexts of each rank, 1…65,535
  std::vector<std::pair<int, int>> links;  ///< (from, to): `from` posts to `to`; at most 32 a rank
};

/// What one rank's NIC did since it was made.
struct NicStatistics {
  std::uint64_t requested = 0;  ///< operations that the requester passed on
  std::uint64_t responded = 0;  ///< operations that the responder performed
  /// Furthest behind its schedule that the responder's server was when it woke, in ns: how much
  /// later than its settings say an operation took effect, at worst.
  std::uint32_t late_ns = 0;
};

/// One operation as a NIC's server performed it.
struct ServedAt {
  std::uint64_t ns = 0;      ///< device timer
  std::uint64_t target = 0;  ///< address of its word, or of its row
};

class EmulatedNic {
 public:
  /// Allocates on the current device. Throws ConfigError for what it cannot emulate, CudaError.
  /// With `record_served`, the NIC's servers leave a time stamp of every operation, at a few ns
  /// each.
  EmulatedNic(const NicSettings& settings, const NicTopology& topology, bool record_served = false);
  ~EmulatedNic();
  EmulatedNic(const EmulatedNic&) = delete;
  EmulatedNic& operator=(const EmulatedNic&) = delete;

  /// SMs that the NIC takes for itself while it runs.
  int sms() const;

  /// The transport that kernels of `rank` post with, valid as long as this object.
  device::EmulatedNicTransport endpoint(int rank) const;

  /// Launches the NIC on a stream of its own and waits until all its CTAs run. It must find sms()
  /// SMs free. `report` (device-visible) takes the stall of a NIC that is not stopped within
  /// limit_ns.
  void start(StallReport* report, std::uint64_t limit_ns);

  /// Tells the NIC to serve what has been posted and end, once these events have happened: those
  /// after the kernels that post. Does not wait. So the host need not wait for those kernels while
  /// the NIC runs, which a tool may turn into a wait for all kernels of the GPU.
  void stop_behind(std::span<CUevent_st* const> posted);

  /// The same at once where stop_behind() has not been called; then waits for the end.
  void stop();

  /// SM of each of its CTAs at the last start: NIC by NIC, each before the SMs that move its rows.
  std::vector<int> placement() const;

  /// What this rank's NIC performed last, oldest first; empty unless it records that.
  std::vector<ServedAt> served(int rank) const;

  NicStatistics statistics(int rank) const;

 private:
  struct State;
  std::unique_ptr<State> state_;
};

}  // namespace fanin::kernels
