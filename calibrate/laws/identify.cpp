#include "identify.hpp"

#include <algorithm>
#include <cmath>

namespace fanin::calibrate::laws {
namespace {

/// Directions whose singular value is below this share of the largest, columns scaled to length 1,
/// are rounding errors of columns that depend on each other.
constexpr double kRankTolerance = 1e-9;
/// A parameter takes part in such a direction when it has more than this share of it.
constexpr double kShare = 1e-6;

}  // namespace

Identification identify(const Eigen::MatrixXd& derivative) {
  Identification found;
  Eigen::MatrixXd scaled = derivative;
  std::vector<std::size_t> used;
  for (Eigen::Index j = 0; j < derivative.cols(); ++j) {
    const double length = derivative.col(j).norm();
    if (length > 0.0) {
      scaled.col(static_cast<Eigen::Index>(used.size())) = derivative.col(j) / length;
      used.push_back(static_cast<std::size_t>(j));
    } else {
      found.untouched.push_back(static_cast<std::size_t>(j));
    }
  }
  scaled.conservativeResize(Eigen::NoChange, static_cast<Eigen::Index>(used.size()));
  if (used.empty()) return found;
  // The triangle of a QR has the same singular values and right vectors, at a fraction of the size.
  Eigen::MatrixXd triangle = scaled;
  if (scaled.rows() > scaled.cols()) {
    triangle = Eigen::MatrixXd(scaled.householderQr().matrixQR().topRows(scaled.cols()))
                   .triangularView<Eigen::Upper>();
  }
  const Eigen::JacobiSVD<Eigen::MatrixXd, Eigen::FullPivHouseholderQRPreconditioner> svd(
      triangle, Eigen::ComputeFullV);
  std::vector<bool> entangled(used.size(), false);
  const double largest = svd.singularValues()[0];
  for (Eigen::Index k = 0; k < static_cast<Eigen::Index>(used.size()); ++k) {
    if (k < svd.singularValues().size() && svd.singularValues()[k] > kRankTolerance * largest) {
      ++found.rank;
      continue;
    }
    for (std::size_t j = 0; j < used.size(); ++j) {
      if (std::abs(svd.matrixV()(static_cast<Eigen::Index>(j), k)) > kShare) entangled[j] = true;
    }
  }
  for (std::size_t j = 0; j < used.size(); ++j) {
    if (entangled[j]) found.entangled.push_back(used[j]);
  }
  return found;
}

bool determines(const Eigen::MatrixXd& derivative, const Eigen::RowVectorXd& row) {
  Eigen::VectorXd lengths = derivative.colwise().norm().transpose();
  for (Eigen::Index j = 0; j < lengths.size(); ++j) {
    if (lengths[j] == 0.0) {
      if (row[j] != 0.0) return false;
      lengths[j] = 1.0;
    }
  }
  const Eigen::MatrixXd scaled = derivative * lengths.cwiseInverse().asDiagonal();
  const Eigen::RowVectorXd wanted = row * lengths.cwiseInverse().asDiagonal();
  Eigen::CompleteOrthogonalDecomposition<Eigen::MatrixXd> solver(scaled.transpose());
  solver.setThreshold(kRankTolerance);
  const Eigen::VectorXd mix = solver.solve(wanted.transpose());
  return (scaled.transpose() * mix - wanted.transpose()).norm() <= 1e-6 * wanted.norm();
}

}  // namespace fanin::calibrate::laws
