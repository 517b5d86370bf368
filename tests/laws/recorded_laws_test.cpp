// The recorded data's own figures: what the published fit gives, and what the laws reach.
#include <gtest/gtest.h>

#include "fanin/calibrate/law_contest.hpp"
#include "fanin/model/law_family.hpp"
#include "fanin_paths.hpp"

namespace {

using namespace fanin::calibrate;

std::vector<Record> rows(const char* where) {
  return Where::parse(where).select(
      read_records({FANIN_SOURCE_DIR "/experiments/recorded/seed/latency.jsonl"}).records);
}

constexpr const char* kOneToken = "set=cross_node_sm_sweep_s1_s2|cross_node_sm_sweep_s3,tokens=1";

const Contestant& named(const Contest& contest, const char* law) {
  for (const Contestant& contestant : contest.laws) {
    if (contestant.fit.law->name == law) return contestant;
  }
  throw std::runtime_error(law);
}

TEST(RecordedLaws, CompetingResourcesWinsOnTheFourteenRows) {
  ContestOptions options;
  options.fit.draws = 100;
  options.holdout = Where::parse("sources=3");
  const Contest result = contest(rows(kOneToken), options);
  ASSERT_EQ(result.rows.size(), 14u);
  const Contestant& competing = named(result, "competing_resources");
  EXPECT_LE(competing.fit.in_sample.max_abs, 1.6);
  EXPECT_LE(competing.held_out->errors.max_abs, 2.45);
  EXPECT_EQ(result.laws[*result.best].fit.law->name, "competing_resources");
  // Golden: a, d in us, b, e in ns, w in us.
  const double golden[] = {50.45, 8.662, 56.70, 89.48, 15.81};
  for (std::size_t j = 0; j < 5; ++j) EXPECT_NEAR(competing.fit.values[j], golden[j], 0.01) << j;

  EXPECT_NEAR(named(result, "H_A").fit.in_sample.max_abs, 5.247, 0.001);
  EXPECT_NEAR(named(result, "H_A").held_out->errors.max_abs, 7.857, 0.001);
  EXPECT_NEAR(named(result, "H_B").fit.in_sample.max_abs, 12.052, 0.001);
  EXPECT_NEAR(named(result, "H_B").held_out->errors.max_abs, 18.211, 0.001);
  for (const char* law : {"H_A", "H_B", "mixed", "H_QP"}) {
    EXPECT_EQ(named(result, law).standing, Standing::rejected) << law;
  }
}

TEST(RecordedLaws, PublishedFitIsReproducedFromItsRows) {
  ContestOptions options;
  options.fit.loss = LawLoss::absolute;
  options.laws = {fanin::model::find_law("H_A")};
  const Contest result =
      contest(rows("set=cross_node_sm_sweep_s3|cross_node_one_to_one,tokens=1"), options);
  ASSERT_EQ(result.rows.size(), 5u);
  const std::vector<double>& values = result.laws.front().fit.values;
  EXPECT_NEAR(values[0], 59.8, 0.05);
  EXPECT_NEAR(values[1], 56.4, 0.05);
  EXPECT_NEAR(values[2], 5.7, 0.05);
}

TEST(RecordedLaws, AbsoluteMissesAreThoseThatWereStated) {
  ContestOptions options;
  options.fit.loss = LawLoss::absolute;
  options.fit.draws = 0;
  options.laws = {fanin::model::find_law("H_A"), fanin::model::find_law("H_B")};
  const Contest result = contest(rows(kOneToken), options);
  const auto worst_us = [&](const char* law) {
    double worst = 0.0;
    for (std::size_t i = 0; i < result.rows.size(); ++i) {
      worst = std::max(
          worst, std::abs(named(result, law).fit.predicted_us[i] - result.rows.measured_us[i]));
    }
    return worst;
  };
  EXPECT_NEAR(worst_us("H_A"), 4.8, 0.05);
  EXPECT_NEAR(worst_us("H_B"), 12.6, 0.05);
}

}  // namespace
