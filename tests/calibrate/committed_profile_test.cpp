// The committed calibrations can be made again: without every fifth row they land inside their
// intervals.
#include <gtest/gtest.h>

#include <string>

#include "fanin/calibrate/calibration.hpp"
#include "fanin_paths.hpp"

namespace fanin::calibrate {
namespace {

const std::string kSource = FANIN_SOURCE_DIR;
const std::string kSeed = kSource + "/experiments/recorded/seed/";

/// Fits what the committed profile fitted, but for every fifth row, and compares.
void expect_inside(const std::string& cluster, const PlanChanges& changes,
                   const std::string& traces, double robust_at) {
  const hw::Profile committed = hw::read_profile(kSource + "/hw/profiles/" + cluster + ".json");
  const FitPlan plan =
      FitPlan::of(hw::read_profile(kSource + "/hw/profiles/priors/" + cluster + ".json"), changes);
  std::vector<Record> most;
  for (const Record& record : read_records({kSeed + "latency.jsonl"}).records) {
    if (record.cluster != cluster || !committed.fitted_on(record.id)) continue;
    if (record.id.back() % 5 != 0) most.push_back(record);
  }
  ASSERT_GT(most.size(), committed.fitted_rows.size() / 2);
  ASSERT_LT(most.size(), committed.fitted_rows.size());
  std::vector<Timeline> timelines;
  if (!traces.empty()) timelines = read_timelines({kSeed + traces}).timelines;
  CalibrationOptions options;
  options.splits = false;
  options.starts = 1;
  options.iterations = 8;
  options.robust_at = robust_at;
  const Calibration found = calibrate(most, timelines, plan, simulator_predictor(), options);
  int compared = 0;
  for (const Estimate& estimate : found.estimates) {
    const std::string& name = estimate.parameter.name();
    const hw::Parameter& parameter = committed.parameters.at(name);
    if (!estimate.identified || !parameter.identified) continue;
    ++compared;
    EXPECT_GE(estimate.value, parameter.ci95->at(0)) << name;
    EXPECT_LE(estimate.value, parameter.ci95->at(1)) << name;
  }
  EXPECT_GE(compared, 10);
}

TEST(CommittedProfile, MostRowsOfTheDomainLandInsideItsIntervals) {
  expect_inside("h200-nvlink-domain", {}, "kernel_timelines.jsonl", 12.0);
}

TEST(CommittedProfile, MostRowsBetweenDomainsLandInsideItsIntervals) {
  expect_inside("h100-4x-cx7-ndr400", {{"hybrid.symmetric_constant"}, {}, {}}, "", 4.0);
}

}  // namespace
}  // namespace fanin::calibrate
