#include <algorithm>
#include <cmath>
#include <filesystem>

#include "fanin/calibrate/law_contest.hpp"
#include "fanin/hw/error.hpp"
#include "fanin/hw/profile.hpp"
#include "goals.hpp"
#include "profile_check.hpp"
#include "record_flags.hpp"
#include "timeline_check.hpp"

namespace fanin::experiments {
namespace {

constexpr const char* kOneToken =
    "set=cross_node_sm_sweep_s1_s2|cross_node_sm_sweep_s3,tokens=1,protocol=role,path=hybrid";
constexpr const char* kClusters[] = {"h100-4x-cx7-ndr400", "h200-nvlink-domain"};

/// The best law of the family on the 14 rows, as `fanin fit --holdout sources=3` picks it.
void add_laws(const std::vector<calibrate::Record>& seed, Figures& figures) {
  calibrate::ContestOptions options;
  options.fit.draws = 0;
  options.holdout = calibrate::Where::parse("sources=3");
  const calibrate::Contest result =
      calibrate::contest(calibrate::Where::parse(kOneToken).select(seed), options);
  if (!result.best) return;
  const calibrate::Contestant& best = result.laws[*result.best];
  figures["laws.fitted"] = best.fit.in_sample.max_abs;
  figures["laws.s3"] = best.held_out->errors.max_abs;
}

void add_summary(const std::string& key, const ErrorSummary& summary, Figures& figures) {
  if (summary.n == 0) return;
  figures[key + ".median"] = summary.median_abs_pct;
  figures[key + ".p90"] = summary.p90_abs_pct;
  figures[key + ".max"] = summary.max_abs_pct;
}

/// Rows of a cluster with the profile of its name: nothing where a valid row cannot be predicted,
/// so that no goal is met by leaving rows out, and nothing for a profile that was never fitted.
ErrorSummary summary_of(const std::vector<calibrate::Record>& rows, const char* where) {
  calibrate::RecordSet set{calibrate::Where::parse(where).select(rows), {}};
  std::erase_if(set.records, [](const calibrate::Record& record) { return !record.data_valid; });
  const std::size_t wanted = set.records.size();
  const CheckResult result = check_profiles(set, rows, {});
  return result.rows.size() == wanted ? result.all() : ErrorSummary::of({});
}

bool calibrated(const char* cluster) {
  const std::vector<std::string> names = hw::profile_names();
  return std::find(names.begin(), names.end(), cluster) != names.end() &&
         !hw::find_profile(cluster).fitted_rows.empty();
}

void add_report(const char* cluster, Figures& figures) {
  const std::string text = hw::find_profile(cluster).calibration_report;
  const Json report = Json::parse(text, nullptr, false);
  if (!report.is_object() || !report.contains("held_out")) return;
  for (const Json& entry : report["held_out"]) {
    const std::string name = entry.value("name", "");
    const auto figure = [&](const char* key) {
      return entry.contains(key) && entry[key].is_number() ? entry[key].get<double>() : NAN;
    };
    const std::string key = std::string(cluster) + ".folds";
    // Where kernel times take part in the fit, the folds that have them come first.
    if (name == "every row, its set held out" && !figures.contains(key + ".median")) {
      figures[key + ".median"] = figure("median_abs_pct");
      figures[key + ".p90"] = figure("p90_abs_pct");
      figures[key + ".max"] = figure("max_abs_pct");
    }
    if (std::string(cluster) != kClusters[0]) continue;
    if (name == "T=1: S=3 from S<=2") figures["sim.s3"] = figure("max_abs_pct");
    if (name == "T=1 sweep alone, in sample") figures["sim.alone.fitted"] = figure("max_abs_pct");
    if (name == "T=1 sweep alone: S=3 from S<=2") figures["sim.alone.s3"] = figure("max_abs_pct");
  }
}

void add_timelines(Figures& figures) {
  const std::filesystem::path file =
      std::filesystem::path(default_records()).parent_path() / "kernel_timelines.jsonl";
  const TimelineCheck check = check_timelines({file.string()}, "");
  if (check.kernels.empty()) return;
  // 1 us or 3% of the period, whichever is met: the figure that is nearer to its limit counts.
  figures["kernels.us"] = std::min(check.median_abs_us(), check.median_abs_pct() / 3.0);
}

}  // namespace

Figures accuracy_figures() {
  Figures figures;
  const std::vector<calibrate::Record> seed = recorded_rows("seed");
  add_laws(seed, figures);
  for (const char* cluster : kClusters) {
    if (!calibrated(cluster)) continue;
    add_summary(cluster, summary_of(seed, ("cluster=" + std::string(cluster)).c_str()), figures);
    add_report(cluster, figures);
  }
  if (calibrated(kClusters[0])) figures["sim.fitted"] = summary_of(seed, kOneToken).max_abs_pct;
  if (calibrated(kClusters[1])) add_timelines(figures);

  const std::vector<calibrate::Record> all = recorded_rows();
  calibrate::RecordSet own{all, {}};
  std::erase_if(own.records, [&](const calibrate::Record& record) {
    return std::any_of(seed.begin(), seed.end(),
                       [&](const calibrate::Record& known) { return known.id == record.id; });
  });
  CheckResult later = check_profiles(own, all, {});
  std::erase_if(later.rows, [](const CheckedRow& row) { return row.fitted; });
  add_summary("later", later.all(), figures);
  return figures;
}

}  // namespace fanin::experiments
