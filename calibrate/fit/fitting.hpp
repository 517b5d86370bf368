// One fit from several starts, which the calibration and each of its held-out fits share.
#pragma once

#include <memory>
#include <vector>

#include "fanin/calibrate/calibration.hpp"
#include "least_squares.hpp"

namespace fanin::calibrate {

struct Fit {
  std::shared_ptr<Evaluator> evaluator;
  Problem problem;              ///< parameters that the rows do not tell are inactive
  std::vector<Optimum> optima;  ///< best first
};

/// `starts`: where searches begin. Parameters whose spread is hardly narrower than their prior go
/// back to the prior, and the others are fitted again.
Fit fit_from(const std::vector<Record>& records, const std::vector<Timeline>& timelines,
             const FitPlan& plan, const Predictor& predictor, const CalibrationOptions& options,
             const std::vector<Eigen::VectorXd>& starts);

/// 100 · (predicted − measured) / measured of rows, by id.
std::vector<std::pair<std::string, double>> errors_of(const std::vector<Record>& records,
                                                      const hw::Profile& profile,
                                                      const Predictor& predictor,
                                                      const CalibrationOptions& options);

struct HeldOutErrors {
  std::vector<SplitErrors> splits;
  std::vector<std::pair<std::string, double>> folds;  ///< percent, by id: every row of every fold
};

/// Fits without the rows of each split, judged on them; folds are pooled into one line more. `best`
/// is one more place where searches begin.
HeldOutErrors held_out_errors(const std::vector<Record>& records,
                              const std::vector<Timeline>& timelines, const FitPlan& plan,
                              const Predictor& predictor, const CalibrationOptions& options,
                              const Eigen::VectorXd& best);

}  // namespace fanin::calibrate
