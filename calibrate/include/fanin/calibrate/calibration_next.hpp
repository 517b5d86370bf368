// Which measurements would best tell the parameter sets apart that the data allow.
#pragma once

#include <vector>

#include "fanin/calibrate/prediction.hpp"

namespace fanin::calibrate {

struct NextMeasurement {
  model::Exchange exchange;
  std::vector<double> predicted_us;  ///< by ensemble member
  /// Share of the members' weighted pairs that this run tells apart which those before it did not,
  /// 0…1; a pair counts as 1 − exp(−d²/2) with d its distance in units of noise.
  double gain = 0.0;
};

/// The best `count` of `candidates`, best first; each is chosen after those before it. Exchanges
/// that the predictor refuses are left out. Throws InputError when the profile has no ensemble.
std::vector<NextMeasurement> next_measurements(const hw::Profile& profile,
                                               const std::vector<model::Exchange>& candidates,
                                               const Predictor& predictor, std::size_t count,
                                               double noise_pct, int threads);

}  // namespace fanin::calibrate
