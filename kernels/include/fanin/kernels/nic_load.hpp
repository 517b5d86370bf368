// Partial load on an emulated NIC, with what the emulation itself takes measured in the same run.
#pragma once

#include <cstdint>
#include <vector>

#include "fanin/kernels/nic_bench.hpp"

namespace fanin::kernels {

/// Arrivals of one rate at one server: parts with Poisson arrivals, which queue, in turn with parts
/// whose arrivals never queue (spaced_arrivals), so that drift and where a run's memory lies are
/// the same for both. A pause lets the server run empty after each.
class AlternatingArrivals {
 public:
  /// `spaced`, `poisson`: how many in all, each a multiple of kParts. 0 < load < 1. The same for
  /// the same seed.
  AlternatingArrivals(double service_ns, double load, std::int64_t spaced, std::int64_t poisson,
                      std::uint64_t seed);

  static constexpr int kParts = 8;  ///< of each kind

  /// ns after the start, ascending.
  const std::vector<std::uint32_t>& all() const { return all_; }
  const std::vector<std::uint32_t>& poisson() const { return poisson_; }

  /// Mean time in ns from arrival to effect of the Poisson arrivals, less what the spaced ones took
  /// beyond the rule of nic_schedule.hpp with this service. `seen`: a run with all().
  double response_ns(const NicObservation& seen, double service_ns) const;

 private:
  struct Part {
    std::int64_t first;
    std::int64_t count;
  };
  Part append(const std::vector<std::uint32_t>& arrivals, std::int64_t first, std::int64_t count);
  std::vector<std::uint32_t> of(const Part& part) const;
  /// Mean over the parts of the time from arrival to effect.
  double mean_taken_ns(const NicObservation& seen, const std::vector<Part>& parts) const;

  std::vector<std::uint32_t> all_;
  std::vector<std::uint32_t> poisson_;
  std::vector<Part> spaced_parts_;
  std::vector<Part> poisson_parts_;
};

}  // namespace fanin::kernels
