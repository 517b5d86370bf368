#include "evaluate.hpp"

#include <cmath>
#include <utility>

#include "parallel.hpp"

namespace fanin::calibrate {
namespace {

/// Steps over the kinks that a maximum of two resources makes, yet small beside a prior's width.
constexpr double kLogStep = 0.02;

}  // namespace

Evaluator::Evaluator(Observations observations, Predictor predictor, int threads)
    : observations_(std::move(observations)),
      items_of_(observations_.exchanges.size()),
      predictor_(std::move(predictor)),
      threads_(threads) {
  for (std::size_t i = 0; i < observations_.items.size(); ++i) {
    items_of_[observations_.items[i].exchange].push_back(i);
  }
}

Eigen::MatrixXd Evaluator::predict(const std::vector<hw::Profile>& profiles) const {
  const std::size_t exchanges = observations_.exchanges.size();
  Eigen::MatrixXd values(observations_.items.size(), profiles.size());
  parallel_for(exchanges * profiles.size(), threads_, [&](std::size_t task) {
    const std::size_t e = task / profiles.size();
    const std::size_t p = task % profiles.size();
    const model::Exchange& exchange = observations_.exchanges[e];
    const Prediction prediction = predictor_(exchange, profiles[p]);
    const double overhead = profiles[p].value("trace.overhead");
    for (const std::size_t i : items_of_[e]) {
      values(static_cast<Eigen::Index>(i), static_cast<Eigen::Index>(p)) =
          predicted_us(observations_.items[i], prediction, exchange, overhead);
    }
  });
  return values;
}

Eigen::MatrixXd Evaluator::residuals(const std::vector<hw::Profile>& profiles) const {
  Eigen::MatrixXd result = predict(profiles);
  for (Eigen::Index i = 0; i < result.rows(); ++i) {
    const Observation& item = observations_.items[static_cast<std::size_t>(i)];
    for (Eigen::Index p = 0; p < result.cols(); ++p) {
      double& value = result(i, p);
      value =
          std::isnan(value) ? 0.0 : item.weight * (value - item.measured_us) / item.deviation_us;
    }
  }
  return result;
}

std::vector<double> Evaluator::predictions(const hw::Profile& profile) const {
  const Eigen::MatrixXd values = predict({profile});
  return {values.data(), values.data() + values.size()};
}

Eigen::MatrixXd Evaluator::slopes(const FitPlan& plan, const Eigen::VectorXd& logs,
                                  const Eigen::VectorXd& residuals,
                                  const std::vector<bool>& active) const {
  std::vector<hw::Profile> profiles;
  std::vector<std::pair<Eigen::Index, double>> moved;
  for (Eigen::Index j = 0; j < logs.size(); ++j) {
    if (!active[static_cast<std::size_t>(j)]) continue;
    const FreeParameter& parameter = plan.free()[static_cast<std::size_t>(j)];
    const double step = std::exp(logs[j] + kLogStep) <= parameter.high ? kLogStep : -kLogStep;
    Eigen::VectorXd at = logs;
    at[j] += step;
    profiles.push_back(profile_at(plan, at));
    moved.emplace_back(j, step);
  }
  Eigen::MatrixXd result = Eigen::MatrixXd::Zero(residuals.size(), logs.size());
  const Eigen::MatrixXd there = this->residuals(profiles);
  for (std::size_t k = 0; k < moved.size(); ++k) {
    result.col(moved[k].first) =
        (there.col(static_cast<Eigen::Index>(k)) - residuals) / moved[k].second;
  }
  return result;
}

hw::Profile profile_at(const FitPlan& plan, const Eigen::VectorXd& logs) {
  return plan.at({logs.data(), static_cast<std::size_t>(logs.size())});
}

}  // namespace fanin::calibrate
