// Levenberg–Marquardt on the logarithms of the free parameters, with a Huber loss and normal
// priors.
#pragma once

#include "evaluate.hpp"

namespace fanin::calibrate {

struct Problem {
  const FitPlan* plan = nullptr;
  const Evaluator* evaluator = nullptr;
  double robust_at = 4.0;
  std::vector<bool> active;  ///< by free parameter; others stay where the search starts
};

struct Optimum {
  Eigen::VectorXd logs;
  double cost = 0.0;          ///< Huber loss of the residuals + squared distances from the priors
  Eigen::VectorXd residuals;  ///< without the priors
  Eigen::MatrixXd curvature;  ///< JᵀWJ at or one step before `logs`, priors not included
};

/// Stops after `iterations`, or when a step gains less than a 10⁻⁴ of the cost. Logs stay inside
/// the registry's ranges.
Optimum search(const Problem& problem, const Eigen::VectorXd& start, int iterations);

/// Cost without searching.
double cost_at(const Problem& problem, const Eigen::VectorXd& logs);

/// The curvature at the optimum itself.
void refresh_curvature(const Problem& problem, Optimum& optimum);

/// Diagonal of the priors' precision; 0 for inactive parameters.
Eigen::VectorXd prior_precision(const Problem& problem);

}  // namespace fanin::calibrate
