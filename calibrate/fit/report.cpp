#include "report.hpp"

#include <cmath>
#include <nlohmann/json.hpp>

namespace fanin::calibrate {
namespace {

using Json = nlohmann::ordered_json;

/// Enough digits to read, few enough to compare two profiles line by line.
double short_number(double value) {
  if (!std::isfinite(value) || value == 0.0) return value;
  const double unit = std::pow(10.0, std::floor(std::log10(std::abs(value))) - 3.0);
  return std::round(value / unit) * unit;
}

Json number(double value) {
  // Rounded again as text, so that no 0.30000000000000004 is printed.
  char text[32];
  std::snprintf(text, sizeof text, "%.4g", short_number(value));
  return Json::parse(text, nullptr, false).is_number() ? Json::parse(text) : Json(nullptr);
}

Json summary(const ErrorSummary& errors) {
  return {{"n", errors.n},
          {"median_abs_pct", number(errors.median_abs_pct)},
          {"p90_abs_pct", number(errors.p90_abs_pct)},
          {"max_abs_pct", number(errors.max_abs_pct)},
          {"worst", errors.worst_id}};
}

}  // namespace

std::string to_json(const Calibration& calibration) {
  Json report;
  report["misfit"] = number(calibration.misfit);
  report["configurations"] = calibration.distinct;
  report["optima"] = calibration.optima;
  report["all"] = summary(calibration.all);
  for (const auto& [set, errors] : calibration.by_set) report["by_set"][set] = summary(errors);
  if (calibration.kernels_pct.n > 0) {
    report["kernels"] = summary(calibration.kernels_pct);
    report["kernels"]["median_abs_us"] = number(calibration.kernels_median_us);
  }
  if (calibration.points_pct.n > 0) {
    report["points"] = summary(calibration.points_pct);
    report["points"]["median_abs_us"] = number(calibration.points_median_us);
  }
  report["held_out"] = Json::array();
  for (const SplitErrors& held : calibration.held_out) {
    Json entry = {{"name", held.name}, {"fitted", held.fitted}, {"timelines", held.timelines}};
    entry.update(summary(held.errors));
    report["held_out"].push_back(entry);
  }
  if (!calibration.held_out_pct.empty()) {
    Json& rows = report["held_out_pct"] = Json::object();
    for (const auto& [id, error] : calibration.held_out_pct) rows[id] = number(error);
  }
  report["parameters"] = Json::object();
  for (const Estimate& estimate : calibration.estimates) {
    report["parameters"][estimate.parameter.name()] = {
        {"value", number(estimate.value)},
        {"ci95", {number(estimate.ci95[0]), number(estimate.ci95[1])}},
        {"prior", number(estimate.parameter.prior)},
        {"factor", number(estimate.parameter.factor)},
        {"identified", estimate.identified}};
  }
  report["correlations"] = Json::array();
  for (const Correlation& pair : calibration.correlations) {
    report["correlations"].push_back({pair.first, pair.second, number(pair.value)});
  }
  report["skipped"] = calibration.skipped;
  return report.dump();
}

}  // namespace fanin::calibrate
