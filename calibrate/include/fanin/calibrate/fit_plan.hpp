// Which parameters of a profile a calibration may move, and how far: each free one is a logarithm
// with a normal prior, so that a range is a soft penalty and no value turns negative.
#pragma once

#include <span>
#include <string>
#include <vector>

#include "fanin/hw/profile.hpp"

namespace fanin::calibrate {

struct FreeParameter {
  std::vector<std::string> names;  ///< the first gives the unit; the others are tied to it
  double prior = 1.0;              ///< > 0
  double factor = 2.0;             ///< > 1, one standard deviation of the prior either way
  double start = 1.0;              ///< > 0, where the first search begins
  double low = 0.0;                ///< the registry's range
  double high = 1.0;

  const std::string& name() const { return names.front(); }
};

/// Changes to what the profile declares, as flags state them.
struct PlanChanges {
  std::vector<std::string> free;   ///< NAME[=PRIOR][~FACTOR]; a prior of 0 cannot be freed
  std::vector<std::string> fixed;  ///< NAME[=VALUE]
  std::vector<std::string> tied;   ///< NAME=OTHER: NAME takes OTHER's value
};

class FitPlan {
 public:
  /// Reads the profile's declarations, then the changes. Throws InputError for unknown names (with
  /// the nearest one), for ties to parameters that are not free, and when nothing is free.
  static FitPlan of(const hw::Profile& start, const PlanChanges& changes = {});

  std::size_t size() const { return free_.size(); }
  const std::vector<FreeParameter>& free() const { return free_; }
  const hw::Profile& base() const { return base_; }

  /// The profile with exp(log_values) in place, one for each free parameter, held to the registry's
  /// range.
  hw::Profile at(std::span<const double> log_values) const;

  std::vector<double> prior_logs() const;
  std::vector<double> start_logs() const;

 private:
  hw::Profile base_;
  std::vector<FreeParameter> free_;
};

}  // namespace fanin::calibrate
