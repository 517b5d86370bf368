// Residuals of a profile, in units of noise, and their slopes over the free parameters.
#pragma once

#include <Eigen/Dense>

#include "fanin/calibrate/fit_plan.hpp"
#include "observations.hpp"

namespace fanin::calibrate {

class Evaluator {
 public:
  Evaluator(Observations observations, Predictor predictor, int threads);

  /// One column a profile, one row an observation: weight · (predicted − measured) / deviation; 0
  /// where the prediction has no such kernel.
  Eigen::MatrixXd residuals(const std::vector<hw::Profile>& profiles) const;

  /// By finite differences of the logarithms; columns of inactive parameters are 0.
  Eigen::MatrixXd slopes(const FitPlan& plan, const Eigen::VectorXd& logs,
                         const Eigen::VectorXd& residuals, const std::vector<bool>& active) const;

  /// Predicted values, by observation, of one profile.
  std::vector<double> predictions(const hw::Profile& profile) const;

  const Observations& observations() const { return observations_; }
  int threads() const { return threads_; }

 private:
  Eigen::MatrixXd predict(const std::vector<hw::Profile>& profiles) const;

  Observations observations_;
  std::vector<std::vector<std::size_t>> items_of_;  // by exchange
  Predictor predictor_;
  int threads_;
};

hw::Profile profile_at(const FitPlan& plan, const Eigen::VectorXd& logs);

}  // namespace fanin::calibrate
