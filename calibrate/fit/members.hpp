// The parameter sets that the data allow: distinct optima, and around the best of them the spread
// that its curvature leaves.
#pragma once

#include <vector>

#include "least_squares.hpp"

namespace fanin::calibrate {

struct Member {
  Eigen::VectorXd logs;
  double cost = 0.0;
  double weight = 0.0;
  bool optimum = false;       ///< a search ended here; else a point of its spread
  Eigen::VectorXd deviation;  ///< of an optimum's logs, by its own curvature; else empty
};

/// Variance of one residual: 1 where noise explains them, larger where the model misses.
double misfit_scale(const Problem& problem, const Optimum& optimum);

/// Covariance of the logs with the priors; rows of inactive parameters are 0.
Eigen::MatrixXd covariance(const Problem& problem, const Optimum& optimum);

/// At most `count` members, heaviest first, weights summing to 1. Optima as near to a better one as
/// its own spread are the same optimum; a weight is exp(−(cost − best)/(2·misfit_scale)).
std::vector<Member> ensemble_of(const Problem& problem, const std::vector<Optimum>& optima,
                                std::size_t count);

}  // namespace fanin::calibrate
