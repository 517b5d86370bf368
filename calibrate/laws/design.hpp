// A law over given rows as matrices: what the solvers work on.
#pragma once

#include <Eigen/Dense>
#include <vector>

#include "fanin/calibrate/law_fit.hpp"

namespace fanin::calibrate::laws {

struct Design {
  std::vector<Eigen::MatrixXd> branches;  ///< [0] always added, then the competing ones;
                                          ///< rows × parameters, µs per unit of the parameter
  Eigen::VectorXd measured;               ///< µs
  Eigen::VectorXd weight;                 ///< of a row's residual; its square weighs the loss

  Eigen::Index rows() const { return measured.size(); }
  Eigen::Index parameters() const { return branches.front().cols(); }
  bool linear() const { return branches.size() == 1; }
};

Design make_design(const model::Law& law, const LawRows& rows, const LawFitOptions& options);

/// The rows `chosen` (repeated rows allowed) with their times replaced. The weights follow the
/// loss.
Design resample(const Design& design, const std::vector<Eigen::Index>& chosen,
                const Eigen::VectorXd& measured, LawLoss loss);

/// All rows but one.
Design without(const Design& design, Eigen::Index row);

/// Every `stride`-th row.
Design thinned(const Design& design, Eigen::Index stride);

Eigen::VectorXd predict(const Design& design, const Eigen::VectorXd& values);

/// Derivative of predict, rows × parameters.
Eigen::MatrixXd jacobian(const Design& design, const Eigen::VectorXd& values);

/// Branch that decides each row, 1…; all 0 for a linear law.
std::vector<int> active_branches(const Design& design, const Eigen::VectorXd& values);

/// Σ (weight · (predicted − measured))².
double loss(const Design& design, const Eigen::VectorXd& values);

}  // namespace fanin::calibrate::laws
