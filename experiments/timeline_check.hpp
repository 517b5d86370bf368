// Simulated against traced kernel times.
#pragma once

#include <map>
#include <string>
#include <vector>

#include "output.hpp"

namespace fanin::experiments {

struct CheckedKernel {
  std::string trace;
  int device = 0;
  std::string kernel;
  double start_error_us = 0.0;  ///< predicted − measured
  double end_error_us = 0.0;
  double period_us = 0.0;  ///< of the trace, while traced
};

struct CheckedPoint {
  std::string trace;
  int device = 0;
  std::string point;
  double first_error_us = 0.0;  ///< predicted − measured
  double median_error_us = 0.0;
  double last_error_us = 0.0;
};

struct TimelineCheck {
  std::vector<CheckedKernel> kernels;
  std::vector<CheckedPoint> points;
  std::map<std::string, std::size_t> skipped;  ///< traces and kernels, by reason

  /// Of |start error| and |end error| of kernels together; NaN without kernels.
  double median_abs_us() const;
  /// The same in percent of the period.
  double median_abs_pct() const;
  /// Of the stamped points' first, median and last times together; NaN without points.
  double points_median_abs_us() const;
};

/// Traces with starts and ends, or stamped points, are simulated with the profile of their cluster
/// (or `profile`); a kernel is found by device and name, in order of launch, a point by device and
/// name.
TimelineCheck check_timelines(const std::vector<std::string>& files, const std::string& profile);

Json to_json(const TimelineCheck& check);
void print(const TimelineCheck& check);

}  // namespace fanin::experiments
