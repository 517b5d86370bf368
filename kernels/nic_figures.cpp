#include <algorithm>
#include <cmath>
#include <random>
#include <stdexcept>

#include "fanin/kernels/nic_bench.hpp"
#include "fanin/kernels/nic_schedule.hpp"

namespace fanin::kernels {

double held_ns(const NicObservation& observation) {
  const auto share = [&](double part) {
    const auto want = static_cast<std::uint32_t>(part * static_cast<double>(observation.signals));
    for (std::size_t i = 0; i < observation.seen.size(); ++i) {
      if (observation.seen[i] >= want) return i;
    }
    throw std::runtime_error("the watcher never saw " + std::to_string(want) + " signals");
  };
  const std::size_t first = share(0.1);
  const std::size_t last = share(0.9);
  if (observation.seen[last] == observation.seen[first]) {
    throw std::runtime_error("too few signals for the watcher to time");
  }
  return static_cast<double>(observation.ns[last] - observation.ns[first]) /
         static_cast<double>(observation.seen[last] - observation.seen[first]);
}

double mean_completion_ns(const NicObservation& observation) {
  return mean_completion_ns(observation, 0, observation.signals);
}

double mean_completion_ns(const NicObservation& observation, std::int64_t first,
                          std::int64_t count) {
  const double total = static_cast<double>(count);
  double area = 0;
  double before_ns = 0;
  double before_left = 1;
  for (std::size_t i = 0; i < observation.seen.size(); ++i) {
    // The timer counts from 1970: a double holds it to 256 ns, but the difference exactly.
    const auto at =
        static_cast<double>(static_cast<std::int64_t>(observation.ns[i] - observation.start_ns));
    const double done =
        static_cast<double>(static_cast<std::int64_t>(observation.seen[i]) - first) / total;
    const double left = 1 - std::clamp(done, 0.0, 1.0);
    if (at > 0) {
      area += (at - before_ns) * 0.5 * (left + before_left);
      before_ns = at;
    }
    before_left = left;
  }
  if (before_left != 0) throw std::runtime_error("the watcher stopped before the last signal");
  return area;
}

double mean_response_ns(const std::vector<std::uint32_t>& arrival_ns, double service_ns) {
  nic::StageState<std::int64_t> state;
  const nic::StageCosts costs;
  nic::StageOp op;
  op.base = static_cast<std::int32_t>(std::lround(service_ns * nic::kTicksPerNs));
  double sum = 0;
  for (const std::uint32_t ns : arrival_ns) {
    const std::int64_t arrival = static_cast<std::int64_t>(ns) * nic::kTicksPerNs;
    sum += static_cast<double>(nic::advance(state, costs, arrival, op) - arrival);
  }
  return sum / (static_cast<double>(arrival_ns.size()) * nic::kTicksPerNs);
}

double md1_response_ns(double service_ns, double load) {
  return service_ns * (1 + load / (2 * (1 - load)));
}

double service_from_response(const std::vector<std::uint32_t>& arrival_ns, double response_ns,
                             double asked_ns) {
  double low = 0;
  double high = 2 * asked_ns;
  // A tick is 1/64 ns, so this many halvings reach it for any service up to a microsecond.
  for (int i = 0; i < 16; ++i) {
    const double middle = 0.5 * (low + high);
    (mean_response_ns(arrival_ns, middle) < response_ns ? low : high) = middle;
  }
  return 0.5 * (low + high);
}

namespace {

/// `least_ns` and an exponential rest from one arrival to the next, rounded to whole ns.
std::vector<std::uint32_t> drawn_arrivals(std::int64_t count, double least_ns, double mean_rest_ns,
                                          std::uint64_t seed) {
  std::mt19937_64 bits(seed);
  std::vector<std::uint32_t> arrivals;
  arrivals.reserve(static_cast<std::size_t>(count));
  double at = 0;
  for (std::int64_t i = 0; i < count; ++i) {
    // Written out, since std::exponential_distribution differs between libraries.
    const double uniform = (static_cast<double>(bits() >> 11) + 0.5) * 0x1p-53;
    at += least_ns - mean_rest_ns * std::log(uniform);
    arrivals.push_back(static_cast<std::uint32_t>(std::llround(at)));
  }
  return arrivals;
}

}  // namespace

std::vector<std::uint32_t> poisson_arrivals(std::int64_t count, double mean_gap_ns,
                                            std::uint64_t seed) {
  return drawn_arrivals(count, 0, mean_gap_ns, seed);
}

std::vector<std::uint32_t> spaced_arrivals(std::int64_t count, double mean_gap_ns,
                                           double service_ns, std::uint64_t seed) {
  return drawn_arrivals(count, service_ns, mean_gap_ns - service_ns, seed);
}

}  // namespace fanin::kernels
