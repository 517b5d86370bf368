// Which runs would best tell the laws that still stand apart.
#pragma once

#include <map>
#include <string>
#include <string_view>
#include <vector>

#include "fanin/calibrate/law_fit.hpp"

namespace fanin::calibrate {

/// Values of each field that a run may take, by field name: transport_sms, channels_per_sm,
/// sources, tokens, tail_interval or ranks.
using RunGrid = std::map<std::string, std::vector<double>>;

/// 'transport_sms=8:64:8,sources=1|2|3,tokens=1': a comma separates fields, | values, and
/// FIRST:LAST:STEP stands for a range. Throws InputError ("--grid") for other text and fields.
RunGrid parse_grid(std::string_view text);

struct NextRun {
  model::LawPoint point;
  std::vector<double> predicted_us;  ///< of each law
  /// How far apart the laws are here: the sum over pairs of their squared distance in units of
  /// what the pair's prediction intervals and the noise of a measurement explain.
  double separation = 0.0;
  bool measured = false;  ///< the rows have this point already
};

/// The `count` runs, best first. Each is chosen after those before it: pairs of laws that these
/// tell apart count less. With a single law the runs are those where its prediction is least
/// certain. noise_pct: standard deviation of one measurement, > 0.
std::vector<NextRun> next_runs(const std::vector<const LawFit*>& laws, const LawRows& rows,
                               const RunGrid& grid, std::size_t count, double noise_pct);

}  // namespace fanin::calibrate
