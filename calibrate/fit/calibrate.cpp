#include <algorithm>
#include <cmath>
#include <iterator>

#include "fanin/calibrate/calibration.hpp"
#include "fanin/hw/error.hpp"
#include "fitting.hpp"
#include "members.hpp"
#include "report.hpp"
#include "starts.hpp"

namespace fanin::calibrate {
namespace {

constexpr double kStrongCorrelation = 0.8;
constexpr double kTwoSided95 = 1.959964;

/// Rows and traces of the profile's cluster that the predictor takes.
struct Usable {
  std::vector<Record> records;
  std::vector<Timeline> timelines;
  std::map<std::string, std::size_t> skipped;
};

Usable usable(const std::vector<Record>& records, const std::vector<Timeline>& timelines,
              const FitPlan& plan, const Predictor& predictor) {
  Usable result;
  const hw::Profile profile = plan.at(plan.prior_logs());
  const auto refuses = [&](const model::Exchange& exchange) {
    try {
      return !(predictor(exchange, profile).exchange_us > 0.0);
    } catch (const InputError& error) {
      ++result.skipped[error.problem()];
      return true;
    }
  };
  const auto lacks_configuration = [&](const Record& record) {
    try {
      record.require_configuration();
      return false;
    } catch (const InputError& error) {
      ++result.skipped[error.problem()];
      return true;
    }
  };
  for (const Record& record : records) {
    if (record.cluster != profile.cluster) {
      ++result.skipped["another cluster"];
    } else if (!record.data_valid) {
      ++result.skipped["data_valid is false"];
    } else if (!lacks_configuration(record) && !refuses(record.exchange)) {
      result.records.push_back(record);
    }
  }
  for (const Timeline& timeline : timelines) {
    if (timeline.cluster == profile.cluster && !refuses(timeline.exchange))
      result.timelines.push_back(timeline);
  }
  if (result.records.empty()) {
    throw InputError("--records",
                     "no valid row of cluster '" + profile.cluster + "' that can be predicted",
                     "rows of the profile's cluster");
  }
  return result;
}

/// 95% of the logarithm either way of every optimum that the data allow.
std::array<double, 2> interval_of(const std::vector<Member>& members, Eigen::Index parameter) {
  std::array<double, 2> logs{members.front().logs[parameter], members.front().logs[parameter]};
  for (const Member& member : members) {
    if (!member.optimum) continue;
    const double half = kTwoSided95 * member.deviation[parameter];
    logs[0] = std::min(logs[0], member.logs[parameter] - half);
    logs[1] = std::max(logs[1], member.logs[parameter] + half);
  }
  return logs;
}

void add_estimates(Calibration& result, const Fit& fit, const std::vector<Member>& members) {
  const FitPlan& plan = *fit.problem.plan;
  const Optimum& best = fit.optima.front();
  const Eigen::MatrixXd spread = covariance(fit.problem, best);
  for (std::size_t j = 0; j < plan.size(); ++j) {
    const auto at = static_cast<Eigen::Index>(j);
    Estimate estimate;
    estimate.parameter = plan.free()[j];
    estimate.identified = fit.problem.active[j];
    estimate.value = std::exp(best.logs[at]);
    const double prior = kTwoSided95 * std::log(estimate.parameter.factor);
    const std::array<double, 2> logs =
        estimate.identified ? interval_of(members, at)
                            : std::array{best.logs[at] - prior, best.logs[at] + prior};
    for (std::size_t side = 0; side < 2; ++side) {
      estimate.ci95[side] =
          std::clamp(std::exp(logs[side]), estimate.parameter.low, estimate.parameter.high);
    }
    result.estimates.push_back(estimate);
    for (std::size_t i = 0; i < j; ++i) {
      const auto other = static_cast<Eigen::Index>(i);
      const double value = spread(at, other) / std::sqrt(spread(at, at) * spread(other, other));
      if (std::abs(value) > kStrongCorrelation) {
        result.correlations.push_back({plan.free()[i].name(), plan.free()[j].name(), value});
      }
    }
  }
  std::stable_sort(result.correlations.begin(), result.correlations.end(),
                   [](const Correlation& a, const Correlation& b) {
                     return std::abs(a.value) > std::abs(b.value);
                   });
}

void add_ensemble(Calibration& result, const FitPlan& plan, const std::vector<Member>& members) {
  result.optima = static_cast<std::size_t>(std::count_if(
      members.begin(), members.end(), [](const Member& member) { return member.optimum; }));
  if (members.size() < 2) return;
  for (const Member& member : members) {
    hw::EnsembleMember entry;
    entry.weight = member.weight;
    for (std::size_t j = 0; j < plan.size(); ++j) {
      const FreeParameter& parameter = plan.free()[j];
      const double value = std::clamp(std::exp(member.logs[static_cast<Eigen::Index>(j)]),
                                      parameter.low, parameter.high);
      for (const std::string& name : parameter.names) entry.values[name] = value;
    }
    result.profile.ensemble.push_back(std::move(entry));
  }
}

void fill_profile(Calibration& result, const std::vector<Record>& records) {
  for (const Estimate& estimate : result.estimates) {
    for (const std::string& name : estimate.parameter.names) {
      hw::Parameter& parameter = result.profile.parameters.find(name)->second;
      parameter.ci95 = estimate.ci95;
      parameter.identified = estimate.identified;
      if (!estimate.identified) continue;
      parameter.source = hw::Source::fitted;
      parameter.reference = "fanin calibrate";
    }
  }
  result.profile.fitted_rows.clear();
  for (const Record& record : records) result.profile.fitted_rows.push_back(record.id);
  std::sort(result.profile.fitted_rows.begin(), result.profile.fitted_rows.end());
  result.profile.fitted_rows_hash = hash_of(records);
}

/// Errors of the times inside traced exchanges, in percent of their periods and in microseconds.
struct InnerErrors {
  std::vector<std::pair<std::string, double>> pct;
  std::vector<double> microseconds;

  void add(const Observation& item, double predicted, const std::string& trace) {
    const double away = predicted - item.measured_us;
    const std::string what =
        item.point.empty() ? "kernel " + std::to_string(item.launch_index) : item.point;
    microseconds.push_back(std::abs(away));
    pct.emplace_back(trace + " " + item.role + std::to_string(item.ordinal) + " " + what,
                     100.0 * away / item.period_us);
  }
  void summarise_into(ErrorSummary& summary, double& median_us) {
    if (pct.empty()) return;
    summary = summarise(pct);
    std::sort(microseconds.begin(), microseconds.end());
    median_us = microseconds[microseconds.size() / 2];
  }
};

void add_inner_errors(Calibration& result, const Fit& fit, const std::vector<Timeline>& timelines) {
  const std::vector<double> predicted = fit.evaluator->predictions(result.profile);
  InnerErrors kernels;
  InnerErrors points;
  for (std::size_t i = 0; i < predicted.size(); ++i) {
    const Observation& item = fit.evaluator->observations().items[i];
    if (item.quantity == Quantity::period || std::isnan(predicted[i])) continue;
    (item.point.empty() ? kernels : points).add(item, predicted[i], timelines[item.record].trace);
  }
  kernels.summarise_into(result.kernels_pct, result.kernels_median_us);
  points.summarise_into(result.points_pct, result.points_median_us);
}

}  // namespace

std::vector<std::string> CalibrationOptions::validate() const {
  std::vector<std::string> problems;
  if (!(noise_pct > 0.0)) problems.push_back("noise_pct: not above 0");
  if (!(robust_at > 0.0)) problems.push_back("robust_at: not above 0");
  if (!(timeline_rows >= 0.0)) problems.push_back("timeline_rows: below 0");
  if (!(kernel_noise_us > 0.0)) problems.push_back("kernel_noise_us: not above 0");
  if (starts < 1) problems.push_back("starts: below 1");
  if (iterations < 1) problems.push_back("iterations: below 1");
  if (threads < 1) problems.push_back("threads: below 1");
  if (members < 1) problems.push_back("members: below 1");
  return problems;
}

Calibration calibrate(const std::vector<Record>& records, const std::vector<Timeline>& timelines,
                      const FitPlan& plan, const Predictor& predictor,
                      const CalibrationOptions& options) {
  const std::vector<std::string> problems = options.validate();
  if (!problems.empty()) throw InputError("calibration options", problems.front());
  const Usable data = usable(records, timelines, plan, predictor);
  if (options.progress)
    options.progress("fitting " + std::to_string(data.records.size()) + " rows");
  const Fit fit = fit_from(data.records, data.timelines, plan, predictor, options,
                           search_starts(plan, options.starts));
  Calibration result;
  result.skipped = data.skipped;
  result.misfit = fit.optima.front().cost;
  result.distinct = fit.evaluator->observations().exchanges.size();
  result.profile = profile_at(plan, fit.optima.front().logs);
  const std::vector<Member> members = ensemble_of(fit.problem, fit.optima, options.members);
  add_estimates(result, fit, members);
  add_ensemble(result, plan, members);
  fill_profile(result, data.records);
  const auto errors = errors_of(data.records, result.profile, predictor, options);
  result.all = summarise(errors);
  std::map<std::string, std::vector<std::pair<std::string, double>>> by_set;
  for (std::size_t i = 0; i < errors.size(); ++i) by_set[data.records[i].set].push_back(errors[i]);
  for (const auto& [set, of_set] : by_set) result.by_set[set] = summarise(of_set);
  add_inner_errors(result, fit, data.timelines);
  if (options.splits) {
    const Eigen::VectorXd& best = fit.optima.front().logs;
    HeldOutErrors held =
        held_out_errors(data.records, data.timelines, plan, predictor, options, best);
    result.held_out = std::move(held.splits);
    result.held_out_pct.insert(held.folds.begin(), held.folds.end());
    if (!data.timelines.empty()) {
      held = held_out_errors(data.records, {}, plan, predictor, options, best);
      std::move(held.splits.begin(), held.splits.end(), std::back_inserter(result.held_out));
    }
  }
  result.profile.calibration_report = to_json(result);
  return result;
}

}  // namespace fanin::calibrate
