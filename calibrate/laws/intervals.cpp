#include "intervals.hpp"

#include <algorithm>
#include <boost/math/distributions/students_t.hpp>
#include <cmath>
#include <limits>
#include <random>

#include "identify.hpp"

namespace fanin::calibrate::laws {
namespace {

constexpr double kNone = std::numeric_limits<double>::quiet_NaN();
constexpr std::size_t kLeastDraws = 40;  // below, a 2.5% quantile is the outermost draw

std::size_t pick(std::mt19937_64& random, std::size_t count) {
  return static_cast<std::size_t>(random() % count);
}

double median(std::vector<double>& sample) {
  std::sort(sample.begin(), sample.end());
  const std::size_t half = sample.size() / 2;
  return sample.size() % 2 == 1 ? sample[half] : 0.5 * (sample[half - 1] + sample[half]);
}

double quantile(const std::vector<double>& sorted, double share) {
  const double at = share * static_cast<double>(sorted.size() - 1);
  const auto below = static_cast<std::size_t>(at);
  const std::size_t above = std::min(below + 1, sorted.size() - 1);
  return sorted[below] + (at - static_cast<double>(below)) * (sorted[above] - sorted[below]);
}

}  // namespace

Draws bootstrap(const Design& design, const LawRows& rows, const std::vector<Optimum>& optima,
                const LawFitOptions& options) {
  const std::size_t n = rows.size();
  const double freedom = static_cast<double>(n) - static_cast<double>(design.parameters());
  const double widening = std::sqrt(static_cast<double>(n) / freedom);
  std::vector<Eigen::VectorXd> starts;
  for (const Optimum& optimum : optima) starts.push_back(optimum.values);
  const Eigen::VectorXd& best = starts.front();

  std::mt19937_64 random(options.seed);
  Draws draws;
  std::vector<Eigen::Index> chosen(n);
  Eigen::VectorXd measured(static_cast<Eigen::Index>(n));
  std::vector<double> repeats;
  for (int draw = 0; draw < options.draws; ++draw) {
    for (std::size_t i = 0; i < n; ++i) {
      const std::size_t row = pick(random, n);
      chosen[i] = static_cast<Eigen::Index>(row);
      const std::vector<double>& known = rows.repeats_us[row];
      double time = rows.measured_us[row];
      if (known.size() > 1) {
        repeats.resize(known.size());
        for (double& value : repeats) value = known[pick(random, known.size())];
        time = median(repeats);
      }
      measured[static_cast<Eigen::Index>(i)] = time;
    }
    const Design sample = resample(design, chosen, measured, options.loss);
    const Optimum optimum =
        sample.linear() ? solve_linear(sample) : solve_from(sample, starts).front();
    if (!identify(sample.weight.asDiagonal() * jacobian(sample, optimum.values)).complete()) {
      ++draws.refused;
      continue;
    }
    const Eigen::VectorXd widened = best + widening * (optimum.values - best);
    draws.values.emplace_back(widened.begin(), widened.end());
  }
  return draws;
}

Eigen::MatrixXd covariance(const Design& design, const Optimum& optimum) {
  const Eigen::MatrixXd derivative = design.weight.asDiagonal() * jacobian(design, optimum.values);
  const Eigen::VectorXd lengths = derivative.colwise().norm().transpose();
  const Eigen::MatrixXd scaled = derivative * lengths.cwiseInverse().asDiagonal();
  const double freedom = static_cast<double>(design.rows() - design.parameters());
  const Eigen::MatrixXd normal = scaled.transpose() * scaled;
  const Eigen::MatrixXd inverse =
      normal.ldlt().solve(Eigen::MatrixXd::Identity(normal.rows(), normal.cols()));
  return optimum.loss / freedom * lengths.cwiseInverse().asDiagonal() * inverse *
         lengths.cwiseInverse().asDiagonal();
}

Draws normal_draws(const Eigen::MatrixXd& covariance, const Eigen::VectorXd& values, int count,
                   std::uint64_t seed) {
  const Eigen::SelfAdjointEigenSolver<Eigen::MatrixXd> axes(covariance);
  const Eigen::MatrixXd root =
      axes.eigenvectors() * axes.eigenvalues().cwiseMax(0.0).cwiseSqrt().asDiagonal();
  std::mt19937_64 random(seed);
  std::normal_distribution<double> normal;
  Draws draws;
  for (int k = 0; k < count; ++k) {
    Eigen::VectorXd step(values.size());
    for (double& component : step) component = normal(random);
    const Eigen::VectorXd drawn = values + root * step;
    draws.values.emplace_back(drawn.begin(), drawn.end());
  }
  return draws;
}

std::vector<std::array<double, 2>> student_intervals(const Eigen::MatrixXd& covariance,
                                                     const Eigen::VectorXd& values,
                                                     double freedom) {
  const double reach = boost::math::quantile(boost::math::students_t(freedom), 0.975);
  std::vector<std::array<double, 2>> intervals;
  for (Eigen::Index j = 0; j < values.size(); ++j) {
    const double half = reach * std::sqrt(std::max(covariance(j, j), 0.0));
    intervals.push_back({values[j] - half, values[j] + half});
  }
  return intervals;
}

std::array<double, 2> percentile_interval(std::vector<double> sample) {
  if (sample.size() < kLeastDraws) return {kNone, kNone};
  std::sort(sample.begin(), sample.end());
  return {quantile(sample, 0.025), quantile(sample, 0.975)};
}

std::vector<std::array<double, 2>> percentile_intervals(const Draws& draws,
                                                        std::size_t parameters) {
  std::vector<std::array<double, 2>> intervals;
  for (std::size_t j = 0; j < parameters; ++j) {
    std::vector<double> sample;
    for (const std::vector<double>& values : draws.values) sample.push_back(values[j]);
    intervals.push_back(percentile_interval(std::move(sample)));
  }
  return intervals;
}

}  // namespace fanin::calibrate::laws
