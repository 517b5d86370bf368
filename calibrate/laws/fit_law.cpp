#include "fanin/calibrate/law_fit.hpp"

#include <algorithm>
#include <cmath>
#include <set>
#include <stdexcept>

#include "identify.hpp"
#include "intervals.hpp"
#include "left_out.hpp"
#include "solve.hpp"

namespace fanin::calibrate {
namespace {

/// Rows on which the non-linear search starts; the optima are then polished on all rows.
constexpr Eigen::Index kSearchRows = 400;
constexpr double kAlternative = 1.1;  // rms of an optimum worth naming, relative to the best
constexpr std::size_t kMostOptima = 4;

std::string join(const std::vector<std::string>& names) {
  std::string text;
  for (const std::string& name : names) text += (text.empty() ? "" : ", ") + name;
  return text;
}

std::vector<std::string> names_of(const model::Law& law, const std::vector<std::size_t>& which) {
  std::vector<std::string> names;
  for (const std::size_t j : which) names.emplace_back(law.parameters[j].name);
  return names;
}

double field_of(const model::LawPoint& point, std::string_view field) {
  if (field == "transport_sms") return point.channels();
  if (field == "sources") return point.sources;
  if (field == "tokens") return point.tokens;
  return point.ranks;
}

/// " (sources is 1 in every row)", for the fields of the law that do not vary; else empty.
std::string constant_fields(const model::Law& law, const LawRows& rows) {
  std::vector<std::string> constant;
  for (const std::string_view field : law.fields) {
    const double first = field_of(rows.points.front(), field);
    const bool varies = std::any_of(rows.points.begin(), rows.points.end(), [&](const auto& point) {
      return field_of(point, field) != first;
    });
    if (!varies) constant.emplace_back(field);
  }
  if (constant.empty()) return "";
  return "; " + join(constant) +
         (constant.size() == 1 ? " is the same in every row" : " are the same in every row");
}

LawRefusal refuse(const model::Law& law, const LawRows& rows, const laws::Identification& found) {
  LawRefusal refusal{&law, "", {}};
  const std::vector<std::string> untouched = names_of(law, found.untouched);
  const std::vector<std::string> entangled = names_of(law, found.entangled);
  if (!untouched.empty()) {
    refusal.reason = "no row depends on " + join(untouched);
  }
  if (!entangled.empty()) {
    refusal.reason += (refusal.reason.empty() ? "" : ", and ") +
                      std::string("the rows cannot tell ") + join(entangled) + " apart";
  }
  refusal.reason += constant_fields(law, rows);
  refusal.parameters = untouched;
  refusal.parameters.insert(refusal.parameters.end(), entangled.begin(), entangled.end());
  return refusal;
}

std::vector<laws::Optimum> search(const laws::Design& design, const LawFitOptions& options) {
  if (design.linear()) return {laws::solve_linear(design)};
  const Eigen::Index stride = (design.rows() + kSearchRows - 1) / kSearchRows;
  if (stride <= 1) return solve_from(design, laws::spread_starts(design, options.starts));
  const laws::Design few = thinned(design, stride);
  std::vector<Eigen::VectorXd> polished;
  for (const laws::Optimum& optimum : solve_from(few, laws::spread_starts(few, options.starts))) {
    if (polished.size() < kMostOptima) polished.push_back(optimum.values);
  }
  return solve_from(design, polished);
}

std::vector<double> to_vector(const Eigen::VectorXd& values) {
  return {values.begin(), values.end()};
}

void add_intervals(LawFit& fit, const laws::Design& design, const LawRows& rows,
                   const std::vector<laws::Optimum>& optima, const LawFitOptions& options) {
  const laws::Optimum& best = optima.front();
  const bool many = rows.size() > options.refit_rows;
  laws::Draws draws;
  if (many) {
    draws = laws::normal_draws(covariance(design, best), best.values, options.draws, options.seed);
  } else {
    draws = laws::bootstrap(design, rows, optima, options);
  }
  if (many || design.linear()) {
    const double freedom = static_cast<double>(design.rows() - design.parameters());
    fit.interval_method = "covariance";
    fit.ci95 = laws::student_intervals(covariance(design, best), best.values, freedom);
  } else {
    fit.interval_method = "bootstrap";
    fit.ci95 = laws::percentile_intervals(draws, fit.values.size());
  }
  fit.draws = std::move(draws.values);
  fit.draws_refused = draws.refused;
}

}  // namespace

LawErrors LawErrors::of(std::vector<double> pct) {
  LawErrors errors;
  double squares = 0.0;
  double worst = 0.0;
  std::size_t defined = 0;
  for (const double error : pct) {
    if (!std::isfinite(error)) continue;
    squares += error * error;
    worst = std::max(worst, std::abs(error));
    ++defined;
  }
  if (defined > 0) {
    errors.max_abs = worst;
    errors.rms = std::sqrt(squares / static_cast<double>(defined));
  }
  errors.pct = std::move(pct);
  return errors;
}

LawOutcome fit_law(const model::Law& law, const LawRows& rows, const LawFitOptions& options) {
  if (options.starts < 1 || options.draws < 0) {
    throw std::invalid_argument("LawFitOptions: starts ≥ 1 and draws ≥ 0 expected");
  }
  const std::size_t parameters = law.parameters.size();
  if (rows.size() <= parameters) {
    std::vector<std::string> all;
    for (const model::LawParameter& parameter : law.parameters) all.emplace_back(parameter.name);
    return LawRefusal{&law,
                      std::to_string(rows.size()) + (rows.size() == 1 ? " row" : " rows") +
                          " for " + std::to_string(parameters) + " parameters; at least " +
                          std::to_string(parameters + 1) + " are needed",
                      std::move(all)};
  }
  const laws::Design design = laws::make_design(law, rows, options);
  std::vector<laws::Optimum> optima = search(design, options);
  if (optima.empty()) {
    return LawRefusal{&law, "the search did not reach a finite loss from any start", {}};
  }
  if (optima.size() > kMostOptima) optima.resize(kMostOptima);
  const laws::Optimum& best = optima.front();
  const laws::Identification found =
      laws::identify(design.weight.asDiagonal() * jacobian(design, best.values));
  if (!found.complete()) return refuse(law, rows, found);

  LawFit fit;
  fit.law = &law;
  fit.values = to_vector(best.values);
  fit.predicted_us = to_vector(predict(design, best.values));
  std::vector<double> errors;
  for (std::size_t i = 0; i < rows.size(); ++i) {
    errors.push_back(100.0 * (fit.predicted_us[i] - rows.measured_us[i]) / rows.measured_us[i]);
  }
  fit.in_sample = LawErrors::of(std::move(errors));
  fit.left_out = LawErrors::of(laws::left_out_errors(design, optima, options));
  fit.rows_per_branch.assign(static_cast<std::size_t>(law.branches()), 0);
  for (const int branch : active_branches(design, best.values)) {
    if (branch > 0) ++fit.rows_per_branch[static_cast<std::size_t>(branch) - 1];
  }
  for (std::size_t k = 1; k < optima.size(); ++k) {
    if (std::sqrt(optima[k].loss) <= kAlternative * std::sqrt(best.loss)) {
      fit.alternatives.push_back(to_vector(optima[k].values));
    }
  }
  add_intervals(fit, design, rows, optima, options);
  return fit;
}

std::array<double, 2> prediction_interval(const model::Law& law,
                                          const std::vector<std::vector<double>>& draws,
                                          const model::LawPoint& point) {
  std::vector<double> predicted;
  for (const std::vector<double>& values : draws) predicted.push_back(law.evaluate(values, point));
  return laws::percentile_interval(std::move(predicted));
}

}  // namespace fanin::calibrate
