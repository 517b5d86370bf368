// The committed calibration can be made again: without every fifth row it lands inside its
// intervals.
#include <gtest/gtest.h>

#include <boost/math/distributions/binomial.hpp>
#include <string>

#include "fanin/calibrate/calibration.hpp"
#include "fanin_paths.hpp"

namespace fanin::calibrate {
namespace {

TEST(CommittedProfile, MostRowsLandInsideItsIntervals) {
  const std::string source = FANIN_SOURCE_DIR;
  const hw::Profile committed = hw::read_profile(source + "/hw/profiles/h200-nvlink-domain.json");
  const FitPlan plan =
      FitPlan::of(hw::read_profile(source + "/hw/profiles/priors/h200-nvlink-domain.json"));
  std::vector<Record> most;
  for (const Record& record :
       read_records({source + "/experiments/recorded/seed/latency.jsonl"}).records) {
    if (record.cluster != committed.cluster || !committed.fitted_on(record.id)) continue;
    if (record.id.back() % 5 != 0) most.push_back(record);
  }
  ASSERT_GT(most.size(), committed.fitted_rows.size() / 2);
  ASSERT_LT(most.size(), committed.fitted_rows.size());
  const auto traces =
      read_timelines({source + "/experiments/recorded/seed/kernel_timelines.jsonl"}).timelines;
  CalibrationOptions options;
  options.splits = false;
  options.starts = 1;
  options.robust_at = 12.0;
  const Calibration found = calibrate(most, traces, plan, simulator_predictor(), options);
  int compared = 0;
  int outside = 0;
  for (const Estimate& estimate : found.estimates) {
    const hw::Parameter& parameter = committed.parameters.at(estimate.parameter.name());
    if (!estimate.identified || !parameter.identified) continue;
    ++compared;
    const bool inside =
        estimate.value >= parameter.ci95->at(0) && estimate.value <= parameter.ci95->at(1);
    if (!inside) ++outside;
  }
  ASSERT_GE(compared, 10);
  // A 95% interval may miss one time in twenty; more misses than 99% of such draws have are too
  // many.
  const boost::math::binomial chance(compared, 0.05);
  EXPECT_LE(outside, boost::math::quantile(chance, 0.99)) << "of " << compared;
}

}  // namespace
}  // namespace fanin::calibrate
