#include "calibrate_report.hpp"

#include <algorithm>
#include <cstdio>

#include "calibrate_candidates.hpp"
#include "table.hpp"

namespace fanin::experiments {
namespace {

std::vector<std::string> cells(const std::string& name, const calibrate::ErrorSummary& errors) {
  return {name,
          std::to_string(errors.n),
          fixed(errors.median_abs_pct, 2),
          fixed(errors.p90_abs_pct, 2),
          fixed(errors.max_abs_pct, 2),
          errors.worst_id};
}

}  // namespace

void print(const calibrate::Calibration& calibration) {
  Table parameters({"parameter", "value", "unit", "95% interval", "prior", ""}, "lrlrrl");
  for (const calibrate::Estimate& estimate : calibration.estimates) {
    const calibrate::FreeParameter& parameter = estimate.parameter;
    std::string name = parameter.name();
    for (std::size_t i = 1; i < parameter.names.size(); ++i) name += " = " + parameter.names[i];
    parameters.row({name, significant(estimate.value, 4),
                    calibration.profile.parameters.at(parameter.name()).unit,
                    interval(estimate.ci95[0], estimate.ci95[1], 3),
                    significant(parameter.prior, 3),
                    estimate.identified ? "" : "not identified, stays at its prior"});
  }
  parameters.print();
  for (const calibrate::Correlation& pair : calibration.correlations) {
    std::printf("correlation %+.2f  %s, %s\n", pair.value, pair.first.c_str(), pair.second.c_str());
  }
  std::printf("\n%zu configurations; %zu %s, ensemble of %zu\n\n", calibration.distinct,
              calibration.optima, calibration.optima == 1 ? "optimum" : "optima",
              std::max<std::size_t>(1, calibration.profile.ensemble.size()));
  Table errors({"error in percent", "rows", "median", "p90", "worst", "row"}, "lrrrrl");
  errors.row(cells("all fitted rows", calibration.all));
  for (const auto& [set, of_set] : calibration.by_set) errors.row(cells("  " + set, of_set));
  for (const calibrate::SplitErrors& held : calibration.held_out) {
    errors.row(
        cells("held out: " + held.name + (held.timelines ? ", with timelines" : ""), held.errors));
  }
  if (calibration.kernels_pct.n > 0) {
    errors.row(cells("kernel times, % of period", calibration.kernels_pct));
  }
  if (calibration.points_pct.n > 0) {
    errors.row(cells("stamped points, % of period", calibration.points_pct));
  }
  errors.print();
  if (calibration.kernels_pct.n > 0) {
    std::printf("kernel times: median error %.2f us\n", calibration.kernels_median_us);
  }
  if (calibration.points_pct.n > 0) {
    std::printf("stamped points: median error %.2f us\n", calibration.points_median_us);
  }
  for (const auto& [reason, count] : calibration.skipped) {
    std::printf("skipped %zu: %s\n", count, reason.c_str());
  }
}

void print(const std::vector<calibrate::NextMeasurement>& runs) {
  if (runs.empty()) return;
  std::printf("\nMeasurements that would best tell the parameter sets apart:\n");
  Table table({"exchange", "gain", "predicted us, by member"}, "lrl");
  for (const calibrate::NextMeasurement& run : runs) {
    std::string predicted;
    for (const double value : run.predicted_us)
      predicted += (predicted.empty() ? "" : " ") + fixed(value, 1);
    table.row({describe(run.exchange), fixed(run.gain, 3), predicted});
  }
  table.print();
}

Json to_json(const calibrate::Calibration& calibration,
             const std::vector<calibrate::NextMeasurement>& runs) {
  Json json;
  json["report"] = Json::parse(calibration.profile.calibration_report);
  json["ensemble"] = Json::array();
  for (const hw::EnsembleMember& member : calibration.profile.ensemble) {
    Json values = Json::object();
    for (const auto& [name, value] : member.values) values[name] = value;
    json["ensemble"].push_back({{"weight", member.weight}, {"values", values}});
  }
  json["next"] = Json::array();
  for (const calibrate::NextMeasurement& run : runs) {
    json["next"].push_back({{"exchange", describe(run.exchange)},
                            {"gain", run.gain},
                            {"predicted_us", run.predicted_us}});
  }
  return json;
}

}  // namespace fanin::experiments
