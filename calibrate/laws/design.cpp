#include "design.hpp"

#include <numeric>

namespace fanin::calibrate::laws {
namespace {

Design pick(const Design& design, const std::vector<Eigen::Index>& chosen) {
  Design picked;
  for (const Eigen::MatrixXd& branch : design.branches) {
    picked.branches.emplace_back(branch(chosen, Eigen::all));
  }
  picked.measured = design.measured(chosen);
  picked.weight = design.weight(chosen);
  return picked;
}

/// Rows × competing branches.
Eigen::MatrixXd branch_times(const Design& design, const Eigen::VectorXd& values) {
  const auto branches = static_cast<Eigen::Index>(design.branches.size()) - 1;
  Eigen::MatrixXd times(design.rows(), branches);
  for (Eigen::Index b = 0; b < branches; ++b) {
    times.col(b).noalias() = design.branches[static_cast<std::size_t>(b) + 1] * values;
  }
  return times;
}

}  // namespace

Design make_design(const model::Law& law, const LawRows& rows, const LawFitOptions& options) {
  const auto n = static_cast<Eigen::Index>(rows.size());
  const auto p = static_cast<Eigen::Index>(law.parameters.size());
  Design design;
  design.branches.assign(static_cast<std::size_t>(law.branches()) + 1, Eigen::MatrixXd::Zero(n, p));
  for (const model::LawTerm& term : law.terms) {
    Eigen::MatrixXd& branch = design.branches[static_cast<std::size_t>(term.branch)];
    const auto column = static_cast<Eigen::Index>(term.parameter);
    const double scale = model::microseconds_per(law.parameters[term.parameter].unit);
    for (Eigen::Index i = 0; i < n; ++i) {
      branch(i, column) += scale * term.feature(rows.points[static_cast<std::size_t>(i)]);
    }
  }
  design.measured.resize(n);
  design.weight.resize(n);
  for (Eigen::Index i = 0; i < n; ++i) {
    const auto row = static_cast<std::size_t>(i);
    const double measured = rows.measured_us[row];
    const std::size_t repeats = std::max<std::size_t>(rows.repeats_us[row].size(), 1);
    design.measured[i] = measured;
    design.weight[i] =
        (options.loss == LawLoss::relative ? 1.0 / measured : 1.0) *
        (options.weights == LawWeights::repeats ? std::sqrt(static_cast<double>(repeats)) : 1.0);
  }
  return design;
}

Design resample(const Design& design, const std::vector<Eigen::Index>& chosen,
                const Eigen::VectorXd& measured, LawLoss loss) {
  Design sample = pick(design, chosen);
  if (loss == LawLoss::relative) {
    sample.weight.array() *= sample.measured.array() / measured.array();
  }
  sample.measured = measured;
  return sample;
}

Design without(const Design& design, Eigen::Index row) {
  std::vector<Eigen::Index> kept(static_cast<std::size_t>(design.rows()));
  std::iota(kept.begin(), kept.end(), 0);
  kept.erase(kept.begin() + row);
  return pick(design, kept);
}

Design thinned(const Design& design, Eigen::Index stride) {
  std::vector<Eigen::Index> kept;
  for (Eigen::Index i = 0; i < design.rows(); i += stride) kept.push_back(i);
  return pick(design, kept);
}

Eigen::VectorXd predict(const Design& design, const Eigen::VectorXd& values) {
  Eigen::VectorXd predicted = design.branches.front() * values;
  if (!design.linear()) predicted += branch_times(design, values).rowwise().maxCoeff();
  return predicted;
}

Eigen::MatrixXd jacobian(const Design& design, const Eigen::VectorXd& values) {
  Eigen::MatrixXd derivative = design.branches.front();
  if (design.linear()) return derivative;
  const std::vector<int> active = active_branches(design, values);
  for (Eigen::Index i = 0; i < design.rows(); ++i) {
    derivative.row(i) +=
        design.branches[static_cast<std::size_t>(active[static_cast<std::size_t>(i)])].row(i);
  }
  return derivative;
}

std::vector<int> active_branches(const Design& design, const Eigen::VectorXd& values) {
  std::vector<int> active(static_cast<std::size_t>(design.rows()), 0);
  if (design.linear()) return active;
  const Eigen::MatrixXd times = branch_times(design, values);
  for (Eigen::Index i = 0; i < design.rows(); ++i) {
    Eigen::Index largest = 0;
    times.row(i).maxCoeff(&largest);
    active[static_cast<std::size_t>(i)] = static_cast<int>(largest) + 1;
  }
  return active;
}

double loss(const Design& design, const Eigen::VectorXd& values) {
  return (predict(design, values) - design.measured).cwiseProduct(design.weight).squaredNorm();
}

}  // namespace fanin::calibrate::laws
