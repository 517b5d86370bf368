#include "solve.hpp"

#include <algorithm>
#include <cmath>
#include <unsupported/Eigen/NonLinearOptimization>

namespace fanin::calibrate::laws {
namespace {

/// Two optima are the same when they predict every row alike to this share of the measurement.
constexpr double kSameOptimum = 1e-5;

struct Residuals {
  const Design& design;

  int inputs() const { return static_cast<int>(design.parameters()); }
  int values() const { return static_cast<int>(design.rows()); }

  int operator()(const Eigen::VectorXd& x, Eigen::VectorXd& residual) const {
    residual = (predict(design, x) - design.measured).cwiseProduct(design.weight);
    return 0;
  }
  int df(const Eigen::VectorXd& x, Eigen::MatrixXd& derivative) const {
    derivative = design.weight.asDiagonal() * jacobian(design, x);
    return 0;
  }
};

Optimum descend(const Design& design, const Eigen::VectorXd& start) {
  const Residuals residuals{design};
  Eigen::LevenbergMarquardt<const Residuals> search(residuals);
  search.parameters.maxfev = 200;
  search.parameters.ftol = 1e-12;
  search.parameters.xtol = 1e-10;
  Optimum optimum{start, 0.0};
  search.minimize(optimum.values);
  optimum.loss = loss(design, optimum.values);
  return optimum;
}

bool same(const Design& design, const Optimum& a, const Optimum& b) {
  return ((predict(design, a.values) - predict(design, b.values)).array() / design.measured.array())
             .abs()
             .maxCoeff() < kSameOptimum;
}

/// Element `index` of the Halton sequence in `base`, in (0, 1).
double halton(int index, int base) {
  double fraction = 1.0;
  double value = 0.0;
  for (int i = index; i > 0; i /= base) {
    fraction /= base;
    value += fraction * (i % base);
  }
  return value;
}

}  // namespace

Optimum solve_linear(const Design& design) {
  const Eigen::MatrixXd weighted = design.weight.asDiagonal() * design.branches.front();
  Optimum optimum;
  optimum.values =
      weighted.colPivHouseholderQr().solve(design.weight.cwiseProduct(design.measured));
  optimum.loss = loss(design, optimum.values);
  return optimum;
}

std::vector<Optimum> solve_from(const Design& design, const std::vector<Eigen::VectorXd>& starts) {
  std::vector<Optimum> all;
  for (const Eigen::VectorXd& start : starts) {
    Optimum optimum = descend(design, start);
    if (std::isfinite(optimum.loss)) all.push_back(std::move(optimum));
  }
  std::stable_sort(all.begin(), all.end(),
                   [](const Optimum& a, const Optimum& b) { return a.loss < b.loss; });
  std::vector<Optimum> different;
  for (Optimum& optimum : all) {
    const bool known = std::any_of(different.begin(), different.end(), [&](const Optimum& other) {
      return same(design, optimum, other);
    });
    if (!known) different.push_back(std::move(optimum));
  }
  return different;
}

std::vector<Eigen::VectorXd> spread_starts(const Design& design, int count) {
  static constexpr int kBases[] = {2, 3, 5, 7, 11, 13, 17, 19};
  const Eigen::Index parameters = design.parameters();
  const double spread = std::max(design.measured.maxCoeff() - design.measured.minCoeff(), 1e-3);
  // Largest time that one unit of each parameter adds within a competing branch.
  Eigen::VectorXd reach = Eigen::VectorXd::Zero(parameters);
  for (std::size_t b = 1; b < design.branches.size(); ++b) {
    reach = reach.cwiseMax(design.branches[b].cwiseAbs().colwise().maxCoeff().transpose());
  }
  const Eigen::MatrixXd weighted = design.weight.asDiagonal() * design.branches.front();
  const auto base_solver = weighted.completeOrthogonalDecomposition();
  std::vector<Eigen::VectorXd> starts;
  for (int k = 1; k <= count; ++k) {
    Eigen::VectorXd start = Eigen::VectorXd::Zero(parameters);
    for (Eigen::Index j = 0; j < parameters; ++j) {
      if (reach[j] <= 0.0) continue;
      // From a twentieth to three times the spread.
      const double share =
          0.05 * std::pow(60.0, halton(k, kBases[static_cast<std::size_t>(j) % std::size(kBases)]));
      start[j] = share * spread / reach[j];
    }
    const Eigen::VectorXd rest = design.measured - predict(design, start);
    start += base_solver.solve(design.weight.cwiseProduct(rest));
    starts.push_back(std::move(start));
  }
  return starts;
}

}  // namespace fanin::calibrate::laws
