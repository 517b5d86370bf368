#include "fanin/kernels/nic_load.hpp"

#include <numeric>

namespace fanin::kernels {

namespace {

// Longer than a queue that a part may leave takes to drain, and than what hides the emulation.
constexpr std::uint32_t kPauseNs = 100'000;

double mean(const std::vector<std::uint32_t>& values) {
  return std::accumulate(values.begin(), values.end(), 0.0) / static_cast<double>(values.size());
}

}  // namespace

AlternatingArrivals::AlternatingArrivals(double service_ns, double load, std::int64_t spaced,
                                         std::int64_t poisson, std::uint64_t seed) {
  const std::vector<std::uint32_t> even =
      spaced_arrivals(spaced, service_ns / load, service_ns, seed);
  const std::vector<std::uint32_t> drawn = poisson_arrivals(poisson, service_ns / load, seed);
  for (int part = 0; part < kParts; ++part) {
    spaced_parts_.push_back(append(even, part * (spaced / kParts), spaced / kParts));
    poisson_parts_.push_back(append(drawn, part * (poisson / kParts), poisson / kParts));
    const std::vector<std::uint32_t> own = of(poisson_parts_.back());
    poisson_.insert(poisson_.end(), own.begin(), own.end());
  }
}

AlternatingArrivals::Part AlternatingArrivals::append(const std::vector<std::uint32_t>& arrivals,
                                                      std::int64_t first, std::int64_t count) {
  const Part part{static_cast<std::int64_t>(all_.size()), count};
  const std::uint32_t begin = all_.empty() ? 0 : all_.back() + kPauseNs;
  const auto from = static_cast<std::size_t>(first);
  for (std::size_t i = from; i < from + static_cast<std::size_t>(count); ++i) {
    all_.push_back(begin + arrivals[i] - arrivals[from]);
  }
  return part;
}

std::vector<std::uint32_t> AlternatingArrivals::of(const Part& part) const {
  const auto begin = all_.begin() + static_cast<std::ptrdiff_t>(part.first);
  return {begin, begin + static_cast<std::ptrdiff_t>(part.count)};
}

double AlternatingArrivals::mean_taken_ns(const NicObservation& seen,
                                          const std::vector<Part>& parts) const {
  double sum = 0;
  for (const Part& part : parts) {
    sum += mean_completion_ns(seen, part.first, part.count) - mean(of(part));
  }
  return sum / static_cast<double>(parts.size());
}

double AlternatingArrivals::response_ns(const NicObservation& seen, double service_ns) const {
  double rule = 0;
  for (const Part& part : spaced_parts_) rule += mean_response_ns(of(part), service_ns) / kParts;
  return mean_taken_ns(seen, poisson_parts_) - (mean_taken_ns(seen, spaced_parts_) - rule);
}

}  // namespace fanin::kernels
