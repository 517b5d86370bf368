// Which parameters of a law the rows determine.
#pragma once

#include <Eigen/Dense>
#include <vector>

namespace fanin::calibrate::laws {

struct Identification {
  Eigen::Index rank = 0;
  std::vector<std::size_t> untouched;  ///< parameters that no row depends on
  std::vector<std::size_t> entangled;  ///< parameters that only occur in combination
  bool complete() const { return untouched.empty() && entangled.empty(); }
};

/// From the weighted derivative of the predictions, rows × parameters.
Identification identify(const Eigen::MatrixXd& derivative);

/// Whether `row` (1 × parameters) is a combination of the rows of `derivative`: whether they
/// determine what the law says about it.
bool determines(const Eigen::MatrixXd& derivative, const Eigen::RowVectorXd& row);

}  // namespace fanin::calibrate::laws
