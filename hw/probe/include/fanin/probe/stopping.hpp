// How often a microbenchmark is repeated, and what its samples say: the median with a 95% interval.
#pragma once

#include <array>
#include <functional>
#include <string_view>
#include <vector>

namespace fanin::probe {

/// Samples are taken until the interval is narrow, or there are enough, or time is up.
struct StoppingRule {
  double spread = 0.005;  ///< half the interval's width over the median at which to stop
  int least = 15;  ///< samples before the rule is asked; at least 6, which a 95% interval needs
  int most = 300;  ///< samples at which it stops regardless
  double seconds = 0.15;  ///< time for one figure in one round
};

enum class Stop { converged, most, time };
std::string_view to_string(Stop stop);

struct Estimate {
  double median = 0;
  std::array<double, 2> ci95{};  ///< of the median
  int samples = 0;
  Stop stopped = Stop::converged;

  /// Half the interval's width over the median's size; infinite for a median of 0.
  double spread() const;
};

/// Median and the order statistics that enclose it with 95% probability. Throws
/// std::invalid_argument for fewer than 6 samples or one that is not finite.
Estimate estimate(std::vector<double> samples);

/// Calls `sample` as the rule says.
Estimate measure(const StoppingRule& rule, const std::function<double()>& sample);

/// Several rounds or processes of one figure as one: the median of their medians, and an interval
/// that takes in every one's, and Student's 95% interval of the scatter of their medians, since
/// what differs between them is what a second run would see too.
Estimate join(const std::vector<Estimate>& rounds);

}  // namespace fanin::probe
