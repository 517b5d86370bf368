#include "check_result.hpp"

#include <algorithm>
#include <cmath>
#include <cstdio>
#include <limits>

#include "table.hpp"

namespace fanin::experiments {
namespace {

double quantile(const std::vector<double>& sorted, double share) {
  const double at = share * static_cast<double>(sorted.size() - 1);
  const auto below = static_cast<std::size_t>(at);
  const std::size_t above = std::min(below + 1, sorted.size() - 1);
  return sorted[below] + (at - static_cast<double>(below)) * (sorted[above] - sorted[below]);
}

Json summary_json(const ErrorSummary& summary) {
  return {{"n", summary.n},
          {"median_abs_pct", summary.median_abs_pct},
          {"p90_abs_pct", summary.p90_abs_pct},
          {"max_abs_pct", summary.max_abs_pct}};
}

std::string interval_of(const std::array<double, 2>& us) {
  return std::isfinite(us[0]) ? "[" + fixed(us[0], 2) + ", " + fixed(us[1], 2) + "]" : "";
}

std::string marks(const CheckedRow& row) {
  std::string text;
  const auto add = [&](const std::string& mark) { text += (text.empty() ? "" : ", ") + mark; };
  if (row.fitted) add("fitted");
  if (row.extrapolated) {
    std::string fields;
    for (const std::string& field : row.outside) fields += (fields.empty() ? "" : " ") + field;
    add(fields.empty() ? "extrapolated" : "extrapolated (" + fields + ")");
  }
  if (!row.data_valid) add("data not valid: not counted");
  return text;
}

}  // namespace

ErrorSummary ErrorSummary::of(std::vector<double> errors_pct) {
  ErrorSummary summary;
  summary.n = errors_pct.size();
  if (errors_pct.empty()) {
    summary.median_abs_pct = summary.p90_abs_pct = summary.max_abs_pct =
        std::numeric_limits<double>::quiet_NaN();
    return summary;
  }
  for (double& error : errors_pct) error = std::abs(error);
  std::sort(errors_pct.begin(), errors_pct.end());
  summary.median_abs_pct = quantile(errors_pct, 0.5);
  summary.p90_abs_pct = quantile(errors_pct, 0.9);
  summary.max_abs_pct = errors_pct.back();
  return summary;
}

ErrorSummary CheckResult::all() const {
  std::vector<double> errors;
  for (const CheckedRow& row : rows) {
    if (row.data_valid) errors.push_back(row.error_pct());
  }
  return ErrorSummary::of(std::move(errors));
}

std::map<std::string, ErrorSummary> CheckResult::by_set() const {
  std::map<std::string, std::vector<double>> errors;
  for (const CheckedRow& row : rows) {
    if (row.data_valid) errors[row.set].push_back(row.error_pct());
  }
  std::map<std::string, ErrorSummary> sets;
  for (auto& [set, values] : errors) sets[set] = ErrorSummary::of(std::move(values));
  return sets;
}

Json to_json(const CheckResult& result) {
  Json json = summary_json(result.all());
  json["by_set"] = Json::object();
  for (const auto& [set, summary] : result.by_set()) json["by_set"][set] = summary_json(summary);
  json["rows"] = Json::array();
  for (const CheckedRow& row : result.rows) {
    Json entry{{"id", row.id},
               {"set", row.set},
               {"measured_us", row.measured_us},
               {"predicted_us", row.predicted_us},
               {"error_pct", row.error_pct()},
               {"ci95", row.ci95},
               {"ci95_with_model", row.ci95_with_model},
               {"fitted", row.fitted},
               {"extrapolated", row.extrapolated},
               {"data_valid", row.data_valid}};
    if (!row.outside.empty()) entry["outside"] = row.outside;
    json["rows"].push_back(std::move(entry));
  }
  json["skipped"] = result.skipped;
  return json;
}

void print(const CheckResult& result, const std::string& predictor) {
  std::printf("predicted by %s\n\n", predictor.c_str());
  Table rows({"row", "set", "measured us", "predicted us", "error %", "95% interval",
              "with model error", ""},
             "llrrrlll");
  for (const CheckedRow& row : result.rows) {
    rows.row({row.id, row.set, fixed(row.measured_us, 2), fixed(row.predicted_us, 2),
              fixed(row.error_pct(), 2), interval_of(row.ci95), interval_of(row.ci95_with_model),
              marks(row)});
  }
  rows.print();
  std::puts("");
  Table sets({"set", "rows", "median %", "90th %", "worst %"});
  const auto add = [&](const std::string& name, const ErrorSummary& summary) {
    sets.row({name, std::to_string(summary.n), fixed(summary.median_abs_pct, 2),
              fixed(summary.p90_abs_pct, 2), fixed(summary.max_abs_pct, 2)});
  };
  for (const auto& [set, summary] : result.by_set()) add(set, summary);
  add("all", result.all());
  sets.print();
  for (const auto& [reason, count] : result.skipped) {
    std::printf("skipped: %zu × %s\n", count, reason.c_str());
  }
}

}  // namespace fanin::experiments
