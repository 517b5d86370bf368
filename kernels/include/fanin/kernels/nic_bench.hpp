// What an emulated NIC does, seen from outside: traffic from one rank to another, and a watcher
// that reads the target words and the device timer while it is served.
#pragma once

#include <cstdint>
#include <vector>

#include "fanin/kernels/emulated_nic.hpp"

namespace fanin::kernels {

struct NicTraffic {
  /// Operations in all; with rows, groups of rows_per_add rows and one fetch-add behind them.
  std::int64_t operations = 100000;
  /// When each operation is posted, in ns after the start, ascending; empty: as fast as the ring
  /// takes them. One generator posts them in order, each at its time and stamped with it.
  std::vector<std::uint32_t> arrival_ns;
  int words = 1;  ///< target words, taken in turn, 128 B apart; 1, 2, 4, 8, 16 or 32
  /// 0: each fetch-add adds 1. Else one of 2^32 follows this many of 1, as a finish follows tails,
  /// to one word, so that a look at it shows whether it has them in order (no rows, no producers).
  int tails_per_finish = 0;
  int queues = 1;        ///< queues, taken in turn
  int rows_per_add = 0;  ///< rows before each fetch-add
  int row_bytes = 4224;  ///< a multiple of 16
  /// 0: the one generator. Else this many warps that post by the transport's add() at once (no
  /// arrivals, no rows); operations must be a multiple of it.
  int producers = 0;
  /// Ranks that post, each an equal share by a generator of its own, to one receiver; at most 8.
  /// Several: no arrivals, no rows, no producers.
  int senders = 1;
};

struct NicObservation {
  std::uint64_t start_ns = 0;       ///< device timer at arrival 0
  std::int64_t signals = 0;         ///< fetch-adds posted; with tails_per_finish, those of 1
  std::vector<std::uint64_t> ns;    ///< device timer at each look, in steps of 32 ns
  std::vector<std::uint32_t> seen;  ///< fetch-adds visible at that look
  std::int64_t pairs = 0;       ///< looks that show order: at two words, or with tails_per_finish
  std::int64_t inversions = 0;  ///< looks in which a later add was visible before an earlier one
  std::int64_t wrong_rows = 0;  ///< row bytes that did not arrive as sent, in 16 B pieces
  NicStatistics sender;         ///< the posting rank's NIC
  NicStatistics receiver;
};

/// Runs the traffic on a NIC pair with these settings on the current device. Throws CudaError when
/// the NIC or a kernel stalls.
NicObservation observe_nic(const NicSettings& settings, const NicTraffic& traffic);

/// One operation alone, from the post to its effect as the poster sees it, and the same for a
/// release add without a NIC: medians of `repeats`, in ns.
struct NicLatency {
  double nic_ns = 0;
  double direct_ns = 0;
};
NicLatency lone_latency(const NicSettings& settings, int repeats);

// From observations to figures; no GPU needed.

/// Time between signals over the middle of the run, from the look that has seen 10% to the one that
/// has seen 90%. Throws std::runtime_error when there are no two such looks.
double held_ns(const NicObservation& observation);

/// Mean time from start_ns to a signal's effect: the integral of the share not yet seen.
double mean_completion_ns(const NicObservation& observation);
/// The same of `count` of the signals, from signal `first` on, in the order in which they are seen.
double mean_completion_ns(const NicObservation& observation, std::int64_t first,
                          std::int64_t count);

/// Mean time from arrival to completion of one server with this service, by nic_schedule.hpp's
/// rule.
double mean_response_ns(const std::vector<std::uint32_t>& arrival_ns, double service_ns);

/// Mean response of an M/D/1 queue: s + s·ρ / (2·(1 − ρ)), 0 ≤ load < 1.
double md1_response_ns(double service_ns, double load);

/// The service that gives this mean response for these arrivals; between 0 and twice `asked_ns`.
double service_from_response(const std::vector<std::uint32_t>& arrival_ns, double response_ns,
                             double asked_ns);

/// Poisson arrivals with this mean gap, rounded to whole ns; the same for the same seed.
std::vector<std::uint32_t> poisson_arrivals(std::int64_t count, double mean_gap_ns,
                                            std::uint64_t seed);

/// Arrivals that never queue, rounded to whole ns: each comes the service after the one before, or
/// later by an exponential rest. With a period they would keep pace with the turns of the NIC's
/// server and see only some of its phases. mean_gap_ns > service_ns. The same for the same seed.
std::vector<std::uint32_t> spaced_arrivals(std::int64_t count, double mean_gap_ns,
                                           double service_ns, std::uint64_t seed);

}  // namespace fanin::kernels
