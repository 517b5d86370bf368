#include "../../experiments/model_error.hpp"

#include <gtest/gtest.h>

#include <cmath>
#include <cstdio>
#include <map>
#include <nlohmann/json.hpp>
#include <string>

#include "fanin/calibrate/record.hpp"
#include "fanin_paths.hpp"

namespace fanin::experiments {
namespace {

TEST(ModelError, TakesTheRankThatCoversOneRowMore) {
  std::vector<double> errors;
  for (int i = 1; i <= 18; ++i) errors.push_back(i % 2 == 0 ? i : 100.0 * (100.0 / (100 + i) - 1));
  EXPECT_FALSE(ModelError(errors).factor().has_value());  // too few to say 95%
  errors.push_back(0.5);
  EXPECT_NEAR(ModelError(errors).factor().value(), 1.18, 1e-12);  // 19 of 19
  for (int i = 0; i < 20; ++i) errors.push_back(0.0);
  EXPECT_NEAR(ModelError(errors).factor().value(), 1.17, 1e-12);  // 38 of 39, too slow or too fast
}

TEST(ModelError, HoldsTheEnsemblesIntervalToo) {
  const ModelError error(std::vector<double>(30, -2.0));
  const double factor = 1.0 / 0.98;
  EXPECT_DOUBLE_EQ(error.interval(98.0, std::nullopt)->at(0), 98.0 / factor);
  EXPECT_DOUBLE_EQ(error.interval(98.0, std::nullopt)->at(1), 100.0);
  EXPECT_DOUBLE_EQ(error.interval(98.0, {{90.0, 99.0}})->at(0), 90.0);
  EXPECT_DOUBLE_EQ(error.interval(98.0, {{90.0, 99.0}})->at(1), 100.0);
  EXPECT_FALSE(ModelError(hw::Profile{}).interval(98.0, {{90.0, 99.0}}).has_value());
}

/// Errors that a committed calibration made on rows whose set it had not seen, by set.
std::map<std::string, std::vector<double>> held_out_by_set(const hw::Profile& profile) {
  const auto report = nlohmann::json::parse(profile.calibration_report);
  const nlohmann::json& errors = report.at("held_out_pct");
  std::map<std::string, std::vector<double>> by_set;
  std::size_t found = 0;
  const std::string seed = std::string(FANIN_SOURCE_DIR) + "/experiments/recorded/seed/";
  for (const auto& record : calibrate::read_records({seed + "latency.jsonl"}).records) {
    if (!errors.contains(record.id)) continue;
    by_set[record.set].push_back(errors.at(record.id).get<double>());
    ++found;
  }
  EXPECT_EQ(found, errors.size());
  return by_set;
}

/// A set is as new to the errors of the others as a user's measurement is to all of them.
void expect_coverage(const hw::Profile& profile) {
  const auto by_set = held_out_by_set(profile);
  ASSERT_GE(by_set.size(), 2U);
  double rows = 0.0;
  double inside = 0.0;
  double half_as_wide = 0.0;
  for (const auto& [left_out, errors] : by_set) {
    std::vector<double> others;
    for (const auto& [set, of_set] : by_set) {
      if (set != left_out) others.insert(others.end(), of_set.begin(), of_set.end());
    }
    const double factor = ModelError(others).factor().value();
    for (const double error : errors) {
      const double off = std::abs(std::log1p(error / 100.0));
      ++rows;
      inside += off <= std::log(factor) ? 1.0 : 0.0;
      half_as_wide += off <= 0.5 * std::log(factor) ? 1.0 : 0.0;
    }
  }
  // Three standard deviations of so many independent rows.
  const double tolerance = 3.0 * std::sqrt(0.95 * 0.05 / rows);
  EXPECT_GE(inside / rows, 0.95 - tolerance) << inside << " of " << rows;
  // Nor is it so wide that half of it would do.
  EXPECT_LT(half_as_wide / rows, 0.95 - tolerance) << half_as_wide << " of " << rows;
  std::printf("%s: %.0f of %.0f rows of sets that the factor does not know are inside\n",
              profile.name.c_str(), inside, rows);
}

TEST(ModelError, CoversSetsThatItDoesNotKnow) {
  int stated = 0;
  for (const std::string& name : hw::profile_names()) {
    const hw::Profile profile = hw::read_profile(FANIN_SOURCE_DIR "/hw/profiles/" + name + ".json");
    if (!ModelError(profile).factor()) continue;
    SCOPED_TRACE(name);
    expect_coverage(profile);
    ++stated;
  }
  EXPECT_GE(stated, 1);
}

}  // namespace
}  // namespace fanin::experiments
