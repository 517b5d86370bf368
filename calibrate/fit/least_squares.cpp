#include "least_squares.hpp"

#include <algorithm>
#include <array>
#include <cmath>

namespace fanin::calibrate {
namespace {

constexpr double kLargestStep = 0.7;  // a factor of two in one iteration
constexpr double kEnoughGain = 1e-4;
constexpr int kDampings = 4;  // pairs of dampings to try before giving up

double huber(double residual, double at) {
  const double size = std::abs(residual);
  return size <= at ? size * size : 2.0 * at * size - at * at;
}

double loss(const Problem& problem, const Eigen::VectorXd& logs, const Eigen::VectorXd& residuals) {
  double sum = 0.0;
  for (const double residual : residuals) sum += huber(residual, problem.robust_at);
  const Eigen::VectorXd precision = prior_precision(problem);
  for (Eigen::Index j = 0; j < logs.size(); ++j) {
    const double away = logs[j] - std::log(problem.plan->free()[static_cast<std::size_t>(j)].prior);
    sum += precision[j] * away * away;
  }
  return sum;
}

Eigen::VectorXd inside(const Problem& problem, Eigen::VectorXd logs) {
  for (Eigen::Index j = 0; j < logs.size(); ++j) {
    const FreeParameter& parameter = problem.plan->free()[static_cast<std::size_t>(j)];
    logs[j] = std::clamp(logs[j], std::log(parameter.low), std::log(parameter.high));
  }
  return logs;
}

struct Normal {
  Eigen::MatrixXd matrix;  // JᵀWJ
  Eigen::VectorXd slope;   // JᵀWr, priors included
};

Normal normal_equations(const Problem& problem, const Eigen::VectorXd& logs,
                        const Eigen::VectorXd& residuals) {
  const Eigen::MatrixXd slopes =
      problem.evaluator->slopes(*problem.plan, logs, residuals, problem.active);
  Eigen::VectorXd weights(residuals.size());
  for (Eigen::Index i = 0; i < residuals.size(); ++i) {
    weights[i] = std::min(1.0, problem.robust_at / std::max(std::abs(residuals[i]), 1e-12));
  }
  Normal normal;
  normal.matrix = slopes.transpose() * weights.asDiagonal() * slopes;
  normal.slope = slopes.transpose() * weights.asDiagonal() * residuals;
  const Eigen::VectorXd precision = prior_precision(problem);
  for (Eigen::Index j = 0; j < logs.size(); ++j) {
    normal.slope[j] +=
        precision[j] *
        (logs[j] - std::log(problem.plan->free()[static_cast<std::size_t>(j)].prior));
  }
  return normal;
}

Eigen::VectorXd step(const Problem& problem, const Normal& normal, double damping) {
  Eigen::MatrixXd matrix = normal.matrix;
  matrix.diagonal() += prior_precision(problem);
  for (Eigen::Index j = 0; j < matrix.rows(); ++j) {
    matrix(j, j) =
        problem.active[static_cast<std::size_t>(j)] ? matrix(j, j) * (1.0 + damping) + 1e-9 : 1.0;
  }
  const Eigen::VectorXd full = -matrix.ldlt().solve(normal.slope);
  const double largest = full.cwiseAbs().maxCoeff();
  return largest > kLargestStep ? Eigen::VectorXd(full * (kLargestStep / largest)) : full;
}

}  // namespace

Eigen::VectorXd prior_precision(const Problem& problem) {
  Eigen::VectorXd precision(problem.plan->size());
  for (std::size_t j = 0; j < problem.plan->size(); ++j) {
    const double deviation = std::log(problem.plan->free()[j].factor);
    precision[static_cast<Eigen::Index>(j)] =
        problem.active[j] ? 1.0 / (deviation * deviation) : 0.0;
  }
  return precision;
}

double cost_at(const Problem& problem, const Eigen::VectorXd& logs) {
  const Eigen::VectorXd residuals =
      problem.evaluator->residuals({profile_at(*problem.plan, logs)}).col(0);
  return loss(problem, logs, residuals);
}

void refresh_curvature(const Problem& problem, Optimum& optimum) {
  optimum.curvature = normal_equations(problem, optimum.logs, optimum.residuals).matrix;
}

Optimum search(const Problem& problem, const Eigen::VectorXd& start, int iterations) {
  Optimum best;
  best.logs = inside(problem, start);
  best.residuals = problem.evaluator->residuals({profile_at(*problem.plan, best.logs)}).col(0);
  best.cost = loss(problem, best.logs, best.residuals);
  double damping = 1e-2;
  for (int iteration = 0; iteration < iterations; ++iteration) {
    const Normal normal = normal_equations(problem, best.logs, best.residuals);
    best.curvature = normal.matrix;
    const double before = best.cost;
    bool better = false;
    for (int attempt = 0; attempt < kDampings && !better; ++attempt) {
      // Two dampings at once: as cheap as one where two cores share the work.
      const std::array<double, 2> dampings = {damping, damping * 8.0};
      std::vector<Eigen::VectorXd> logs;
      std::vector<hw::Profile> profiles;
      for (const double d : dampings) {
        logs.push_back(inside(problem, best.logs + step(problem, normal, d)));
        profiles.push_back(profile_at(*problem.plan, logs.back()));
      }
      const Eigen::MatrixXd residuals = problem.evaluator->residuals(profiles);
      for (Eigen::Index k = 0; k < 2; ++k) {
        const double cost = loss(problem, logs[static_cast<std::size_t>(k)], residuals.col(k));
        if (!(cost < best.cost)) continue;
        best.cost = cost;
        best.logs = logs[static_cast<std::size_t>(k)];
        best.residuals = residuals.col(k);
        damping = std::max(1e-5, dampings[static_cast<std::size_t>(k)] / 6.0);
        better = true;
      }
      if (!better) damping *= 64.0;
    }
    if (!better || before - best.cost < kEnoughGain * before) break;
  }
  return best;
}

}  // namespace fanin::calibrate
