#include "fanin/calibrate/calibration.hpp"

#include <gtest/gtest.h>

#include <cmath>

#include "fanin/hw/error.hpp"
#include "synthetic.hpp"

namespace fanin::calibrate {
namespace {

using synthetic::machine;
using synthetic::mirrored;
using synthetic::quick;
using synthetic::rows;
using synthetic::start;
using synthetic::two_servers;

const Estimate& estimate_of(const Calibration& calibration, const std::string& name) {
  for (const Estimate& estimate : calibration.estimates) {
    if (estimate.parameter.name() == name) return estimate;
  }
  throw std::logic_error(name);
}

TEST(Calibration, FindsTheMachineThatMadeTheRows) {
  const Calibration found =
      calibrate(rows(two_servers, machine()), {}, FitPlan::of(start()), two_servers, quick());
  for (const auto& [name, parameter] : machine().parameters) {
    const Estimate& estimate = estimate_of(found, name);
    EXPECT_NEAR(estimate.value / parameter.value, 1.0, 0.02) << name;
    EXPECT_LT(estimate.ci95[0], parameter.value) << name;
    EXPECT_GT(estimate.ci95[1], parameter.value) << name;
    EXPECT_TRUE(estimate.identified) << name;
    EXPECT_EQ(found.profile.parameters.at(name).source, hw::Source::fitted);
  }
  EXPECT_LT(found.all.max_abs_pct, 0.2);
  EXPECT_EQ(found.profile.fitted_rows.size(), 30U);
  EXPECT_EQ(found.profile.fitted_rows_hash.size(), 16U);
}

TEST(Calibration, KeepsBothOfTwoMirroredOptima) {
  hw::Profile profile = start();
  profile.parameters.erase("hybrid.combine_chain_row");
  CalibrationOptions options = quick();
  options.starts = 10;
  const Calibration found =
      calibrate(rows(mirrored, machine()), {}, FitPlan::of(profile), mirrored, options);
  EXPECT_EQ(found.optima, 2U);
  double requester_dearer = 0.0;
  double sum = 0.0;
  for (const hw::EnsembleMember& member : found.profile.ensemble) {
    sum += member.weight;
    if (member.values.at("nic.requester.fetch_add") > member.values.at("nic.responder.fetch_add"))
      requester_dearer += member.weight;
  }
  EXPECT_NEAR(sum, 1.0, 1e-9);
  EXPECT_GT(requester_dearer, 0.2);
  EXPECT_LT(requester_dearer, 0.8);
}

TEST(Calibration, LeavesWhatTheRowsDoNotTellAtItsPrior) {
  hw::Profile profile = start();
  synthetic::declare(profile, "nvlink.barrier", 1.7, 2.0);
  const Calibration found =
      calibrate(rows(two_servers, machine()), {}, FitPlan::of(profile), two_servers, quick());
  const Estimate& estimate = estimate_of(found, "nvlink.barrier");
  EXPECT_FALSE(estimate.identified);
  EXPECT_NEAR(estimate.value, 1.7, 1e-9);
  EXPECT_FALSE(found.profile.parameters.at("nvlink.barrier").identified);
  EXPECT_EQ(found.profile.parameters.at("nvlink.barrier").source, hw::Source::literature);
}

TEST(Calibration, OneBadRowMovesLittle) {
  std::vector<Record> records = rows(two_servers, machine());
  records[7].median_us *= 1.5;
  const Calibration found = calibrate(records, {}, FitPlan::of(start()), two_servers, quick());
  for (const auto& [name, parameter] : machine().parameters) {
    EXPECT_NEAR(estimate_of(found, name).value / parameter.value, 1.0, 0.08) << name;
  }
  EXPECT_EQ(found.all.worst_id, "M7");
}

TEST(Calibration, DoesNotDependOnThreads) {
  CalibrationOptions one = quick();
  one.threads = 1;
  CalibrationOptions three = quick();
  three.threads = 3;
  const std::vector<Record> records = rows(two_servers, machine());
  const FitPlan plan = FitPlan::of(start());
  EXPECT_EQ(hw::to_json(calibrate(records, {}, plan, two_servers, one).profile),
            hw::to_json(calibrate(records, {}, plan, two_servers, three).profile));
}

TEST(Calibration, HoldsOutSetsAndNamedSplits) {
  CalibrationOptions options = quick();
  options.splits = true;
  options.starts = 2;
  const Calibration found =
      calibrate(rows(two_servers, machine()), {}, FitPlan::of(start()), two_servers, options);
  std::map<std::string, SplitErrors> by_name;
  for (const SplitErrors& held : found.held_out) by_name[held.name] = held;
  ASSERT_TRUE(by_name.contains("S=3 from S<=2"));
  EXPECT_EQ(by_name["S=3 from S<=2"].fitted, 20U);
  EXPECT_EQ(by_name["S=3 from S<=2"].errors.n, 10U);
  EXPECT_LT(by_name["S=3 from S<=2"].errors.max_abs_pct, 1.0);
  EXPECT_EQ(by_name["T=1: S=3 from S<=2"].fitted, 20U);
  EXPECT_EQ(by_name["T=1: S=3 from S<=2"].errors.n, 5U);
  EXPECT_EQ(by_name["T=1: S=3 from S<=2 at T=1"].fitted, 10U);
  EXPECT_EQ(by_name["T=1: S=3 from S<=2 at T=1"].errors.n, 5U);
  EXPECT_EQ(by_name["48 SMs from <=32"].errors.n, 6U);
  EXPECT_EQ(by_name["T>=128 from T<=32"].errors.n, 15U);
  EXPECT_EQ(by_name["every row, its set held out"].errors.n, 30U);
  EXPECT_FALSE(by_name.contains("symmetric from role"));
  EXPECT_FALSE(by_name.contains("T=1 sweep alone, in sample"));
  EXPECT_EQ(found.held_out_pct.size(), 30U);
}

TEST(Calibration, FitsTheSweepAtOneTokenAlone) {
  CalibrationOptions options = quick();
  options.splits = true;
  options.starts = 2;
  std::vector<Record> records = rows(two_servers, machine());
  for (Record& record : records) {
    if (record.exchange.tokens == 1) record.set = "made_sm_sweep_one";
    // The rest is of no machine that the predictor knows: a fit to the sweep alone is exact.
    if (record.exchange.tokens != 1) record.median_us *= 1.5;
  }
  const Calibration found = calibrate(records, {}, FitPlan::of(start()), two_servers, options);
  std::map<std::string, SplitErrors> by_name;
  for (const SplitErrors& held : found.held_out) by_name[held.name] = held;
  const SplitErrors& all = by_name["T=1 sweep alone, in sample"];
  EXPECT_EQ(all.fitted, 15U);
  EXPECT_EQ(all.errors.n, 15U);
  EXPECT_LT(all.errors.max_abs_pct, 1.0);
  const SplitErrors& three = by_name["T=1 sweep alone: S=3 from S<=2"];
  EXPECT_EQ(three.fitted, 10U);
  EXPECT_EQ(three.errors.n, 5U);
  EXPECT_EQ(found.held_out_pct.size(), 30U);
  double worst = 0.0;
  for (const auto& [id, error] : found.held_out_pct) worst = std::max(worst, std::abs(error));
  EXPECT_DOUBLE_EQ(by_name["every row, its set held out"].errors.max_abs_pct, worst);
}

TEST(Calibration, UsesValidRowsOfItsClusterOnly) {
  std::vector<Record> records = rows(two_servers, machine());
  records[0].data_valid = false;
  records[1].cluster = "other";
  records[2].missing = {"transport_sms"};
  const Calibration found = calibrate(records, {}, FitPlan::of(start()), two_servers, quick());
  EXPECT_EQ(found.all.n, 27U);
  EXPECT_EQ(found.skipped.at("missing transport_sms"), 1U);
  EXPECT_FALSE(found.profile.fitted_on("M0"));
  EXPECT_EQ(found.skipped.at("another cluster"), 1U);
  EXPECT_EQ(found.skipped.at("data_valid is false"), 1U);
  for (Record& record : records) record.cluster = "other";
  EXPECT_THROW(calibrate(records, {}, FitPlan::of(start()), two_servers, quick()), InputError);
}

/// The exchange and one kernel that ends half way.
Prediction with_kernel(const model::Exchange& e, const hw::Profile& p) {
  Prediction prediction = two_servers(e, p);
  model::KernelSpan span;
  span.role = "ffn";
  span.kernel = "dispatch";
  span.start = from_us(1.0);
  span.end = from_us(0.5 * prediction.exchange_us);
  prediction.kernels.push_back(span);
  return prediction;
}

TEST(Calibration, TracedTimesCarryTheTracersOverhead) {
  hw::Profile profile = start();
  synthetic::declare(profile, "trace.overhead", 1.02, 1.05);
  const std::vector<Record> records = rows(two_servers, machine());
  std::vector<Timeline> traces;
  for (const Record& record : records) {
    Timeline timeline;
    timeline.trace = record.id;
    timeline.cluster = "made";
    timeline.exchange = record.exchange;
    timeline.period_us = 1.06 * record.median_us;
    TimelineSpan span;
    span.role = "ffn";
    span.start_us = 1.06;
    span.end_us = 1.06 * 0.5 * record.median_us;
    span.duration_us = *span.end_us - *span.start_us;
    timeline.spans = {span};
    traces.push_back(timeline);
  }
  const Calibration found = calibrate(records, traces, FitPlan::of(profile), with_kernel, quick());
  EXPECT_NEAR(estimate_of(found, "trace.overhead").value, 1.06, 0.003);
  EXPECT_NEAR(estimate_of(found, "hybrid.constant").value, 55.0, 0.5);
  EXPECT_EQ(found.kernels_pct.n, 60U);
  EXPECT_LT(found.kernels_median_us, 0.2);
}

/// Periods that a constant and a chain explain alike; when rows are returned tells them apart.
TEST(Calibration, StampedPointsTellWhatPeriodsDoNot) {
  const Predictor together = [](const model::Exchange&, const hw::Profile& p) {
    const double constant = p.value("hybrid.constant");
    const double chain = p.value("hybrid.combine_chain_row");
    Prediction prediction{constant + chain, {}, {}};
    prediction.points.push_back(
        {0, "ffn", "row_returned", 1, Picoseconds{}, from_us(0.5 * chain), from_us(chain)});
    return prediction;
  };
  hw::Profile start;
  start.name = "start";
  start.cluster = "made";
  synthetic::declare(start, "hybrid.constant", 40.0, 2.0);
  synthetic::declare(start, "hybrid.combine_chain_row", 20.0, 3.0);
  hw::Profile machine = start;
  machine.parameters["hybrid.constant"].value = 55.0;
  machine.parameters["hybrid.combine_chain_row"].value = 8.0;
  const std::vector<Record> records = rows(together, machine);
  Timeline timeline;
  timeline.trace = "stamps";
  timeline.cluster = "made";
  timeline.exchange = records.front().exchange;
  timeline.period_us = records.front().median_us;
  timeline.points.push_back({{}, 0, "ffn", "row_returned", 0.0, 4.0, 8.0});

  const FitPlan plan = FitPlan::of(start);
  const Calibration blind = calibrate(records, {}, plan, together, quick());
  const Calibration stamped = calibrate(records, {timeline}, plan, together, quick());
  EXPECT_GT(std::abs(blind.profile.value("hybrid.combine_chain_row") - 8.0), 3.0);
  EXPECT_NEAR(stamped.profile.value("hybrid.combine_chain_row"), 8.0, 1.0);
  EXPECT_EQ(stamped.points_pct.n, 3U);
  EXPECT_EQ(blind.points_pct.n, 0U);
}

TEST(Calibration, OptionsAreChecked) {
  CalibrationOptions options = quick();
  options.noise_pct = 0.0;
  EXPECT_THROW(
      calibrate(rows(two_servers, machine()), {}, FitPlan::of(start()), two_servers, options),
      InputError);
}

TEST(Calibration, SummaryInterpolates) {
  const ErrorSummary summary =
      summarise({{"a", -4.0}, {"b", 1.0}, {"c", 2.0}, {"d", 3.0}, {"e", 0.0}});
  EXPECT_DOUBLE_EQ(summary.median_abs_pct, 2.0);
  EXPECT_DOUBLE_EQ(summary.p90_abs_pct, 3.6);
  EXPECT_DOUBLE_EQ(summary.max_abs_pct, 4.0);
  EXPECT_EQ(summary.worst_id, "a");
}

}  // namespace
}  // namespace fanin::calibrate
