// Slopes over channels, one number of sources at a time: what tells the hypotheses apart by eye.
// Cost per operation predicts slopes as 1:2:3 for S = 1, 2, 3, cost per channel equal ones.
#pragma once

#include <vector>

#include "fanin/calibrate/law_fit.hpp"

namespace fanin::calibrate {

struct Slope {
  double sources = 0.0;
  double tokens = 0.0;
  std::size_t rows = 0;              ///< that differ in channels only
  double measured_ns = 0.0;          ///< least squares, per channel
  std::vector<double> predicted_ns;  ///< of each law at the same rows
};

/// One entry for each (sources, tokens) with at least two different numbers of channels, sorted;
/// predicted_ns in the order of `fits`.
std::vector<Slope> channel_slopes(const LawRows& rows, const std::vector<const LawFit*>& fits);

}  // namespace fanin::calibrate
