// Intervals of a law's parameters, and parameter sets that the data allow alike.
#pragma once

#include <array>
#include <vector>

#include "fanin/calibrate/law_fit.hpp"
#include "solve.hpp"

namespace fanin::calibrate::laws {

struct Draws {
  std::vector<std::vector<double>> values;
  std::size_t refused = 0;  ///< resamples that did not determine all parameters
};

/// Resamples rows, and within a row its repeats, and fits each resample from `optima`. Deviations
/// from the best optimum are widened by sqrt(n / (n − p)), since residuals of a fit are too small
/// by that.
Draws bootstrap(const Design& design, const LawRows& rows, const std::vector<Optimum>& optima,
                const LawFitOptions& options);

/// Covariance of the estimates: residual variance times the inverse of the weighted normal matrix
/// of the law, linearised at `values`.
Eigen::MatrixXd covariance(const Design& design, const Optimum& optimum);

/// Draws from a normal distribution with that covariance.
Draws normal_draws(const Eigen::MatrixXd& covariance, const Eigen::VectorXd& values, int count,
                   std::uint64_t seed);

/// Student t with `freedom` degrees of freedom, both sides 2.5%.
std::vector<std::array<double, 2>> student_intervals(const Eigen::MatrixXd& covariance,
                                                     const Eigen::VectorXd& values, double freedom);

/// 2.5% and 97.5% of the draws; NaN when there are fewer than 40.
std::vector<std::array<double, 2>> percentile_intervals(const Draws& draws, std::size_t parameters);

/// 2.5% and 97.5% of `sample`, by linear interpolation; NaN when it has fewer than 40 values.
std::array<double, 2> percentile_interval(std::vector<double> sample);

}  // namespace fanin::calibrate::laws
