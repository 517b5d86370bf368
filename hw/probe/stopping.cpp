#include "fanin/probe/stopping.hpp"

#include <algorithm>
#include <boost/math/distributions/students_t.hpp>
#include <chrono>
#include <cmath>
#include <limits>
#include <stdexcept>

namespace fanin::probe {

std::string_view to_string(Stop stop) {
  switch (stop) {
    case Stop::converged: return "converged";
    case Stop::most: return "most samples";
    case Stop::time: return "time";
  }
  return "";
}

double Estimate::spread() const {
  if (median == 0) return std::numeric_limits<double>::infinity();
  return 0.5 * (ci95[1] - ci95[0]) / std::abs(median);
}

Estimate estimate(std::vector<double> samples) {
  if (samples.size() < 6) {
    throw std::invalid_argument("a 95% interval of a median needs at least 6 samples");
  }
  for (const double value : samples) {
    if (!std::isfinite(value)) throw std::invalid_argument("a sample is not finite");
  }
  std::sort(samples.begin(), samples.end());
  const auto n = static_cast<double>(samples.size());
  const std::size_t half = samples.size() / 2;
  Estimate result;
  result.samples = static_cast<int>(samples.size());
  result.median =
      samples.size() % 2 == 1 ? samples[half] : 0.5 * (samples[half - 1] + samples[half]);
  // Ranks n/2 ± 1.96·√n/2 of a binomial with p = 1/2, counted from 0 and widened to whole ranks.
  const double reach = 0.98 * std::sqrt(n);
  const double low = std::max(0.0, std::floor(0.5 * n - reach) - 1);
  const double high = std::min(n - 1, std::ceil(0.5 * n + reach));
  result.ci95 = {samples[static_cast<std::size_t>(low)], samples[static_cast<std::size_t>(high)]};
  return result;
}

Estimate measure(const StoppingRule& rule, const std::function<double()>& sample) {
  using Clock = std::chrono::steady_clock;
  const auto begin = Clock::now();
  const std::size_t least = static_cast<std::size_t>(std::max(rule.least, 6));
  std::vector<double> samples;
  for (;;) {
    samples.push_back(sample());
    if (samples.size() < least) continue;
    Estimate now = estimate(samples);
    if (now.spread() <= rule.spread) {
      now.stopped = Stop::converged;
      return now;
    }
    if (static_cast<int>(samples.size()) >= rule.most) {
      now.stopped = Stop::most;
      return now;
    }
    if (std::chrono::duration<double>(Clock::now() - begin).count() > rule.seconds) {
      now.stopped = Stop::time;
      return now;
    }
  }
}

namespace {

/// Half the 95% interval of the mean of values that scatter normally; 0 for one value.
double reach_of_mean(const std::vector<double>& values) {
  const auto n = static_cast<double>(values.size());
  if (values.size() < 2) return 0.0;
  double mean = 0.0;
  for (const double value : values) mean += value / n;
  double squares = 0.0;
  for (const double value : values) squares += (value - mean) * (value - mean);
  const boost::math::students_t distribution(n - 1.0);
  return boost::math::quantile(distribution, 0.975) * std::sqrt(squares / (n - 1.0) / n);
}

}  // namespace

Estimate join(const std::vector<Estimate>& rounds) {
  if (rounds.empty()) throw std::invalid_argument("no rounds to join");
  std::vector<double> medians;
  Estimate joined = rounds.front();
  joined.samples = 0;
  for (const Estimate& round : rounds) {
    medians.push_back(round.median);
    joined.ci95[0] = std::min(joined.ci95[0], round.ci95[0]);
    joined.ci95[1] = std::max(joined.ci95[1], round.ci95[1]);
    joined.samples += round.samples;
    joined.stopped = std::max(joined.stopped, round.stopped);
  }
  std::sort(medians.begin(), medians.end());
  const std::size_t half = medians.size() / 2;
  joined.median =
      medians.size() % 2 == 1 ? medians[half] : 0.5 * (medians[half - 1] + medians[half]);
  const double reach = reach_of_mean(medians);
  joined.ci95[0] = std::min(joined.ci95[0], joined.median - reach);
  joined.ci95[1] = std::max(joined.ci95[1], joined.median + reach);
  return joined;
}

}  // namespace fanin::probe
