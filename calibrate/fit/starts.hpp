// Where searches begin.
#pragma once

#include <Eigen/Dense>
#include <vector>

#include "fanin/calibrate/fit_plan.hpp"

namespace fanin::calibrate {

/// The profile's values, the priors where they differ, then quantiles of the priors by a Halton
/// sequence: the same in every run.
std::vector<Eigen::VectorXd> search_starts(const FitPlan& plan, int count);

}  // namespace fanin::calibrate
