#include "fitting.hpp"

#include <algorithm>
#include <cmath>

#include "members.hpp"
#include "splits.hpp"

namespace fanin::calibrate {
namespace {

/// A posterior this much of its prior's width tells nothing.
constexpr double kHardlyNarrower = 0.75;
/// Starts are compared after so many iterations; the best of them go on.
constexpr int kFirstIterations = 4;
constexpr std::size_t kGoOn = 3;

void sort(std::vector<Optimum>& optima) {
  std::stable_sort(optima.begin(), optima.end(),
                   [](const Optimum& a, const Optimum& b) { return a.cost < b.cost; });
}

void say(const CalibrationOptions& options, const std::string& line) {
  if (options.progress) options.progress(line);
}

/// Inactivates what the rows do not tell; false when they tell everything.
bool drop_unidentified(Problem& problem, const Optimum& best) {
  const Eigen::MatrixXd spread = covariance(problem, best);
  bool dropped = false;
  for (std::size_t j = 0; j < problem.plan->size(); ++j) {
    const auto at = static_cast<Eigen::Index>(j);
    const double prior = std::log(problem.plan->free()[j].factor);
    if (!problem.active[j] || std::sqrt(spread(at, at)) < kHardlyNarrower * prior) continue;
    problem.active[j] = false;
    dropped = true;
  }
  return dropped;
}

}  // namespace

Fit fit_from(const std::vector<Record>& records, const std::vector<Timeline>& timelines,
             const FitPlan& plan, const Predictor& predictor, const CalibrationOptions& options,
             const std::vector<Eigen::VectorXd>& starts) {
  Fit fit;
  fit.evaluator =
      std::make_shared<Evaluator>(observe(records, timelines, options), predictor, options.threads);
  fit.problem = {&plan, fit.evaluator.get(), options.robust_at,
                 std::vector<bool>(plan.size(), true)};
  for (const Eigen::VectorXd& start : starts) {
    const int iterations =
        starts.size() == 1 ? options.iterations : std::min(kFirstIterations, options.iterations);
    fit.optima.push_back(search(fit.problem, start, iterations));
  }
  sort(fit.optima);
  if (fit.optima.size() > kGoOn) fit.optima.resize(kGoOn);
  if (starts.size() > 1) {
    for (Optimum& optimum : fit.optima)
      optimum = search(fit.problem, optimum.logs, options.iterations);
    sort(fit.optima);
  }
  refresh_curvature(fit.problem, fit.optima.front());
  if (drop_unidentified(fit.problem, fit.optima.front())) {
    for (Optimum& optimum : fit.optima) {
      for (std::size_t j = 0; j < plan.size(); ++j) {
        if (!fit.problem.active[j])
          optimum.logs[static_cast<Eigen::Index>(j)] = std::log(plan.free()[j].prior);
      }
      optimum = search(fit.problem, optimum.logs, options.iterations);
      refresh_curvature(fit.problem, optimum);
    }
    sort(fit.optima);
  } else {
    for (std::size_t k = 1; k < fit.optima.size(); ++k)
      refresh_curvature(fit.problem, fit.optima[k]);
  }
  return fit;
}

std::vector<std::pair<std::string, double>> errors_of(const std::vector<Record>& records,
                                                      const hw::Profile& profile,
                                                      const Predictor& predictor,
                                                      const CalibrationOptions& options) {
  const Evaluator evaluator(observe(records, {}, options), predictor, options.threads);
  const std::vector<double> predicted = evaluator.predictions(profile);
  std::vector<std::pair<std::string, double>> errors;
  for (std::size_t i = 0; i < records.size(); ++i) {
    errors.emplace_back(records[i].id, 100.0 * (predicted[i] / records[i].median_us - 1.0));
  }
  return errors;
}

HeldOutErrors held_out_errors(const std::vector<Record>& records,
                              const std::vector<Timeline>& timelines, const FitPlan& plan,
                              const Predictor& predictor, const CalibrationOptions& options,
                              const Eigen::VectorXd& best) {
  HeldOutErrors results;
  const std::vector<double> prior = plan.prior_logs();
  const Eigen::VectorXd from_prior =
      Eigen::Map<const Eigen::VectorXd>(prior.data(), static_cast<Eigen::Index>(prior.size()));
  Fit fit;
  std::vector<std::string> fitted_before;
  for (const Split& split : splits_of(records)) {
    say(options, "held out: " + split.name);
    std::vector<Record> fitted;
    std::vector<Record> held;
    for (const Record& record : records) {
      const Part part = split.part_of(record);
      if (is_fitted(part)) fitted.push_back(record);
      if (is_judged(part)) held.push_back(record);
    }
    std::vector<Timeline> traces;
    for (const Timeline& timeline : timelines) {
      Record like;
      like.exchange = timeline.exchange;
      if (is_fitted(split.part_of(like))) traces.push_back(timeline);
    }
    // Two splits may judge one fit on different rows.
    std::vector<std::string> ids;
    for (const Record& record : fitted) ids.push_back(record.id);
    if (ids != fitted_before)
      fit = fit_from(fitted, traces, plan, predictor, options, {best, from_prior});
    fitted_before = ids;
    const auto errors =
        errors_of(held, profile_at(plan, fit.optima.front().logs), predictor, options);
    results.splits.push_back({split.name, fitted.size(), !traces.empty(), summarise(errors)});
    if (is_fold(split)) results.folds.insert(results.folds.end(), errors.begin(), errors.end());
  }
  if (!results.folds.empty()) {
    results.splits.push_back({"every row, its set held out", records.size(), !timelines.empty(),
                              summarise(results.folds)});
  }
  return results;
}

}  // namespace fanin::calibrate
