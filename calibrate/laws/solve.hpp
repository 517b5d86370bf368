// Least squares of one law over one design.
#pragma once

#include <vector>

#include "design.hpp"

namespace fanin::calibrate::laws {

struct Optimum {
  Eigen::VectorXd values;
  double loss = 0.0;
};

/// QR of the weighted design. Only for linear laws.
Optimum solve_linear(const Design& design);

/// Levenberg–Marquardt from each start; the different optima, best first, at least one.
std::vector<Optimum> solve_from(const Design& design, const std::vector<Eigen::VectorXd>& starts);

/// Starts that cover the plausible shares of the competing branches: for each, the branches' times
/// are drawn (a Halton sequence) against the spread of the measurements, and what is always added
/// is solved for. The same for the same design.
std::vector<Eigen::VectorXd> spread_starts(const Design& design, int count);

}  // namespace fanin::calibrate::laws
