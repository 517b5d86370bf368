#include "members.hpp"

#include <algorithm>
#include <cmath>

namespace fanin::calibrate {
namespace {

/// Optima closer than this, in standard deviations of the better one's spread, are one.
constexpr double kDistinct = 2.0;
/// Lighter members say nothing.
constexpr double kLeastWeight = 0.02;

Eigen::MatrixXd precision(const Problem& problem, const Optimum& optimum) {
  Eigen::MatrixXd matrix = optimum.curvature / misfit_scale(problem, optimum);
  matrix.diagonal() += prior_precision(problem);
  for (Eigen::Index j = 0; j < matrix.rows(); ++j) {
    if (!problem.active[static_cast<std::size_t>(j)]) matrix(j, j) = 1.0;
  }
  return matrix;
}

/// Points one standard deviation either way along the directions that are known worst.
std::vector<Eigen::VectorXd> spread(const Problem& problem, const Optimum& optimum,
                                    std::size_t count) {
  const Eigen::SelfAdjointEigenSolver<Eigen::MatrixXd> solver(covariance(problem, optimum));
  std::vector<Eigen::VectorXd> points;
  for (Eigen::Index k = solver.eigenvalues().size() - 1; k >= 0 && points.size() < count; --k) {
    const double deviation = std::sqrt(std::max(0.0, solver.eigenvalues()[k]));
    for (const double side : {1.0, -1.0}) {
      points.emplace_back(optimum.logs + side * deviation * solver.eigenvectors().col(k));
    }
  }
  points.resize(std::min(points.size(), count));
  return points;
}

}  // namespace

double misfit_scale(const Problem& problem, const Optimum& optimum) {
  double sum = 0.0;
  double numbers = 0.0;
  for (std::size_t i = 0; i < problem.evaluator->observations().items.size(); ++i) {
    const Observation& item = problem.evaluator->observations().items[i];
    const double residual = optimum.residuals[static_cast<Eigen::Index>(i)];
    sum += std::min(residual * residual, problem.robust_at * std::abs(residual));
    numbers += item.quantity == Quantity::period && !item.traced ? 1.0 : item.weight * item.weight;
  }
  const auto active =
      static_cast<double>(std::count(problem.active.begin(), problem.active.end(), true));
  return std::max(1.0, sum / std::max(1.0, numbers - active));
}

Eigen::MatrixXd covariance(const Problem& problem, const Optimum& optimum) {
  const Eigen::Index n = optimum.logs.size();
  Eigen::MatrixXd result =
      precision(problem, optimum).ldlt().solve(Eigen::MatrixXd::Identity(n, n));
  for (Eigen::Index j = 0; j < n; ++j) {
    if (problem.active[static_cast<std::size_t>(j)]) continue;
    result.row(j).setZero();
    result.col(j).setZero();
  }
  return result;
}

std::vector<Member> ensemble_of(const Problem& problem, const std::vector<Optimum>& optima,
                                std::size_t count) {
  std::vector<Optimum> sorted = optima;
  std::stable_sort(sorted.begin(), sorted.end(),
                   [](const Optimum& a, const Optimum& b) { return a.cost < b.cost; });
  const double scale = misfit_scale(problem, sorted.front());
  std::vector<Optimum> distinct;
  for (const Optimum& candidate : sorted) {
    if (std::exp(-(candidate.cost - sorted.front().cost) / (2.0 * scale)) < kLeastWeight) break;
    const bool same = std::any_of(distinct.begin(), distinct.end(), [&](const Optimum& other) {
      const Eigen::VectorXd away = candidate.logs - other.logs;
      return std::sqrt(away.dot(precision(problem, other) * away)) < kDistinct;
    });
    if (!same && distinct.size() < count) distinct.push_back(candidate);
  }
  std::vector<Member> members;
  for (const Optimum& optimum : distinct) {
    members.push_back({optimum.logs, optimum.cost, 0.0, true,
                       covariance(problem, optimum).diagonal().cwiseMax(0.0).cwiseSqrt()});
  }
  const std::size_t room = count - members.size();
  for (std::size_t k = 0; k < distinct.size() && room > 0; ++k) {
    const std::size_t share = room / distinct.size() + (k < room % distinct.size() ? 1 : 0);
    for (const Eigen::VectorXd& logs : spread(problem, distinct[k], share)) {
      members.push_back({logs, cost_at(problem, logs), 0.0, false, {}});
    }
  }
  double sum = 0.0;
  for (Member& member : members) {
    // A point of the spread that happens to fit better is no heavier than its optimum.
    member.weight = std::exp(-std::max(0.0, member.cost - sorted.front().cost) / (2.0 * scale));
    if (!member.optimum) member.weight *= 0.99;
    sum += member.weight;
  }
  std::vector<Member> kept;
  for (const Member& member : members) {
    if (member.weight / sum >= kLeastWeight) kept.push_back(member);
  }
  std::stable_sort(kept.begin(), kept.end(),
                   [](const Member& a, const Member& b) { return a.weight > b.weight; });
  sum = 0.0;
  for (const Member& member : kept) sum += member.weight;
  for (Member& member : kept) member.weight /= sum;
  return kept;
}

}  // namespace fanin::calibrate
