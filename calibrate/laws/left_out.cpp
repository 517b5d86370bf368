#include "left_out.hpp"

#include <cmath>
#include <limits>

#include "identify.hpp"

namespace fanin::calibrate::laws {
namespace {

constexpr double kNone = std::numeric_limits<double>::quiet_NaN();

std::vector<double> by_leverage(const Design& design, const Optimum& optimum) {
  const Eigen::MatrixXd derivative = design.weight.asDiagonal() * jacobian(design, optimum.values);
  const Eigen::MatrixXd orthogonal =
      derivative.householderQr().householderQ() *
      Eigen::MatrixXd::Identity(derivative.rows(), derivative.cols());
  const Eigen::VectorXd residual = predict(design, optimum.values) - design.measured;
  std::vector<double> errors;
  for (Eigen::Index i = 0; i < design.rows(); ++i) {
    const double rest = 1.0 - orthogonal.row(i).squaredNorm();
    errors.push_back(rest > 1e-9 ? 100.0 * residual[i] / rest / design.measured[i] : kNone);
  }
  return errors;
}

}  // namespace

std::vector<double> left_out_errors(const Design& design, const std::vector<Optimum>& optima,
                                    const LawFitOptions& options) {
  if (static_cast<std::size_t>(design.rows()) > options.refit_rows) {
    return by_leverage(design, optima.front());
  }
  std::vector<Eigen::VectorXd> known;
  for (const Optimum& optimum : optima) known.push_back(optimum.values);
  std::vector<double> errors;
  for (Eigen::Index i = 0; i < design.rows(); ++i) {
    const Design rest = without(design, i);
    Optimum optimum;
    if (rest.linear()) {
      optimum = solve_linear(rest);
    } else {
      // Starts that know nothing of the row that is left out come with those that do.
      std::vector<Eigen::VectorXd> starts = spread_starts(rest, std::min(options.starts, 16));
      starts.insert(starts.end(), known.begin(), known.end());
      optimum = solve_from(rest, starts).front();
    }
    const Eigen::MatrixXd all = jacobian(design, optimum.values);
    const Eigen::MatrixXd derivative = rest.weight.asDiagonal() * jacobian(rest, optimum.values);
    const double predicted = predict(design, optimum.values)[i];
    errors.push_back(determines(derivative, all.row(i))
                         ? 100.0 * (predicted - design.measured[i]) / design.measured[i]
                         : kNone);
  }
  return errors;
}

}  // namespace fanin::calibrate::laws
