#include <gtest/gtest.h>

#include <Eigen/Dense>
#include <algorithm>
#include <cmath>

#include "fanin/calibrate/law_fit.hpp"
#include "law_rows_of.hpp"

namespace {

using fanin::calibrate::fit_law;
using fanin::calibrate::LawFit;
using fanin::calibrate::LawFitOptions;
using fanin::calibrate::LawLoss;
using fanin::calibrate::LawRefusal;
using fanin::calibrate::LawRows;
using fanin::calibrate::LawWeights;
using fanin::model::find_law;
using fanin::model::Law;
using fanin::test::law_rows_of;

const std::vector<double> kSms{4, 8, 16, 24, 32, 48, 64};
const std::vector<double> kSources{1, 2, 3, 4};
const std::vector<double> kTokens{1, 8, 64, 512};

LawFitOptions quick() {
  LawFitOptions options;
  options.draws = 50;
  return options;
}

LawFit fit(const Law& law, const LawRows& rows, const LawFitOptions& options = quick()) {
  auto outcome = fit_law(law, rows, options);
  if (auto* refusal = std::get_if<LawRefusal>(&outcome)) throw std::runtime_error(refusal->reason);
  return std::get<LawFit>(std::move(outcome));
}

struct Truth {
  const char* law;
  std::vector<double> values;
};

class ExactRecovery : public testing::TestWithParam<Truth> {};

TEST_P(ExactRecovery, FindsTheParameters) {
  const Law& law = *find_law(GetParam().law);
  const LawFit found = fit(law, law_rows_of(law, GetParam().values, kSms, kSources, kTokens));
  for (std::size_t j = 0; j < found.values.size(); ++j) {
    EXPECT_NEAR(found.values[j], GetParam().values[j], 1e-5 * std::abs(GetParam().values[j]))
        << law.parameters[j].name;
  }
  EXPECT_LT(found.in_sample.max_abs, 1e-5);
  EXPECT_LT(found.left_out.max_abs, 1e-3);
}

INSTANTIATE_TEST_SUITE_P(
    Family, ExactRecovery,
    testing::Values(
        Truth{"H_A", {60, 50, 6}}, Truth{"H_A_pure", {60, 50}}, Truth{"H_B", {50, 80, 12}},
        Truth{"mixed", {55, 30, 20, 7}}, Truth{"H_QP", {40, 300, 10}},
        Truth{"competing_resources", {50.5, 8.7, 57, 89, 15.8}},
        Truth{"competing_resources", {20, 1, 60, 130, 8}}, Truth{"channels", {40, 70}},
        Truth{"channels_or_chain", {60, 40, 90}}, Truth{"fixed_per_row", {20, 80}},
        Truth{"fixed_or_per_row", {25, 18, 120}}, Truth{"fixed_per_arriving_row", {60, 8, 165}},
        Truth{"saturating_bandwidth", {20, 1200, 75}}, Truth{"link_or_sms", {15, 5, 78, 2400}},
        Truth{"competing_resources_rows", {50, 8, 120, 55, 90, 15, 4}},
        Truth{"shared_over_sms", {12, 300}}, Truth{"bandwidth_over_sms", {300, 14}},
        Truth{"per_rank", {30, 6}}),
    [](const auto& test) { return std::string(test.param.law) + std::to_string(test.index); });

TEST(LinearFit, EqualsQrOfTheWeightedDesign) {
  const Law& law = *find_law("H_A");
  const LawRows rows = law_rows_of(law, {60, 50, 6}, kSms, kSources, {1}, 0.02);
  for (const LawLoss loss : {LawLoss::relative, LawLoss::absolute}) {
    const auto n = static_cast<Eigen::Index>(rows.size());
    Eigen::MatrixXd design(n, 3);
    Eigen::VectorXd time(n);
    for (Eigen::Index i = 0; i < n; ++i) {
      const auto& p = rows.points[static_cast<std::size_t>(i)];
      const double measured = rows.measured_us[static_cast<std::size_t>(i)];
      const double weight = loss == LawLoss::relative ? 1.0 / measured : 1.0;
      design.row(i) << weight, weight * 1e-3 * p.channels() * p.sources, weight * p.sources;
      time[i] = weight * measured;
    }
    const Eigen::VectorXd expected = design.householderQr().solve(time);
    LawFitOptions options = quick();
    options.loss = loss;
    const LawFit found = fit(law, rows, options);
    for (std::size_t j = 0; j < 3; ++j) {
      EXPECT_NEAR(found.values[j], expected[static_cast<Eigen::Index>(j)], 1e-9) << j;
    }
  }
}

TEST(LinearFit, LeaveOneOutEqualsLeverages) {
  const Law& law = *find_law("mixed");
  const LawRows rows = law_rows_of(law, {60, 50, 20, 6}, kSms, kSources, {1}, 0.02);
  const LawFit refitted = fit(law, rows);
  LawFitOptions many = quick();
  many.refit_rows = 1;  // leverages
  const LawFit leverages = fit(law, rows, many);
  for (std::size_t i = 0; i < rows.size(); ++i) {
    EXPECT_NEAR(refitted.left_out.pct[i], leverages.left_out.pct[i], 1e-7) << i;
  }
}

TEST(LinearFit, WeightsByRepeatsCountARowAsOftenAsRepeated) {
  const Law& law = *find_law("H_A_pure");
  LawRows once = law_rows_of(law, {60, 50}, {8, 16, 32}, {1, 2}, {1}, 0.05);
  LawRows weighted = once;
  weighted.repeats_us[1] = std::vector<double>(3, once.measured_us[1]);
  LawRows repeated = once;
  for (int k = 0; k < 2; ++k) {
    repeated.ids.push_back("again" + std::to_string(k));
    repeated.points.push_back(once.points[1]);
    repeated.measured_us.push_back(once.measured_us[1]);
    repeated.repeats_us.emplace_back();
  }
  LawFitOptions options = quick();
  options.weights = LawWeights::repeats;
  const LawFit by_weight = fit(law, weighted, options);
  const LawFit by_rows = fit(law, repeated);
  EXPECT_NEAR(by_weight.values[0], by_rows.values[0], 1e-9);
  EXPECT_NEAR(by_weight.values[1], by_rows.values[1], 1e-9);
  EXPECT_GT(std::abs(fit(law, once).values[1] - by_weight.values[1]), 1e-6);
}

TEST(Fit, IsDeterministic) {
  const Law& law = *find_law("competing_resources");
  const LawRows rows = law_rows_of(law, {50, 9, 57, 89, 16}, kSms, {1, 2, 3}, {1}, 0.01);
  const LawFit a = fit(law, rows);
  const LawFit b = fit(law, rows);
  EXPECT_EQ(a.values, b.values);
  EXPECT_EQ(a.draws, b.draws);
  EXPECT_EQ(a.left_out.pct, b.left_out.pct);
}

/// No start on a fine grid of branch parameters ends lower: the search finds the best optimum.
TEST(Fit, BeatsAGridOfStarts) {
  const Law& law = *find_law("competing_resources");
  const LawRows rows =
      law_rows_of(law, {50, 9, 57, 89, 16}, {8, 16, 24, 32, 48}, {1, 2, 3}, {1}, 0.02);
  const LawFit found = fit(law, rows);
  double best = 1e9;
  for (double b = 40; b <= 75; b += 1.0) {
    for (double e = 60; e <= 120; e += 2.0) {
      for (double w = 8; w <= 24; w += 0.5) {
        // a and d are linear: solve them.
        Eigen::MatrixXd design(static_cast<Eigen::Index>(rows.size()), 2);
        Eigen::VectorXd rest(static_cast<Eigen::Index>(rows.size()));
        for (std::size_t i = 0; i < rows.size(); ++i) {
          const auto& p = rows.points[i];
          const double y = rows.measured_us[i];
          const double branch =
              std::max({1e-3 * b * p.channels() * p.sources, 1e-3 * e * p.channels(), w});
          design.row(static_cast<Eigen::Index>(i)) << 1.0 / y, p.sources / y;
          rest[static_cast<Eigen::Index>(i)] = (y - branch) / y;
        }
        const Eigen::VectorXd solved = design.householderQr().solve(rest);
        best = std::min(best, (design * solved - rest).squaredNorm());
      }
    }
  }
  const double rms = 100.0 * std::sqrt(best / static_cast<double>(rows.size()));
  EXPECT_LE(found.in_sample.rms, rms * (1.0 + 1e-9));
}

struct Refused {
  const char* law;
  std::vector<double> sms;
  std::vector<double> sources;
  std::vector<std::string> parameters;
};

class Identifiability : public testing::TestWithParam<Refused> {};

TEST_P(Identifiability, RefusesAndNames) {
  const Refused& expected = GetParam();
  const Law& truth = *find_law("competing_resources");
  const LawRows rows =
      law_rows_of(truth, {50, 9, 57, 89, 16}, expected.sms, expected.sources, {1}, 0.01);
  const auto outcome = fit_law(*find_law(expected.law), rows, quick());
  const auto* refusal = std::get_if<LawRefusal>(&outcome);
  ASSERT_NE(refusal, nullptr);
  std::vector<std::string> named = refusal->parameters;
  std::sort(named.begin(), named.end());
  EXPECT_EQ(named, expected.parameters) << refusal->reason;
  for (const std::string& parameter : expected.parameters) {
    EXPECT_NE(refusal->reason.find(parameter), std::string::npos) << refusal->reason;
  }
}

INSTANTIATE_TEST_SUITE_P(
    Laws, Identifiability,
    testing::Values(Refused{"H_A", {8, 16, 24, 32}, {2}, {"a", "d"}},
                    Refused{"H_A", {16}, {1, 2, 3, 4}, {"b", "d"}},
                    Refused{"mixed", {8, 16, 24, 32, 48}, {1}, {"a", "b", "d", "e"}},
                    Refused{"H_QP", {16, 24, 32, 48}, {1, 2}, {"a", "q"}}),
    [](const auto& test) { return std::string(test.param.law) + std::to_string(test.index); });

TEST(Identifiability, OneRowAndAsManyRowsAsParametersAreTooFew) {
  const Law& law = *find_law("H_A");
  for (const std::vector<double>& sms : {std::vector<double>{8}, std::vector<double>{8, 16, 24}}) {
    const auto outcome = fit_law(law, law_rows_of(law, {60, 50, 6}, sms, {1}, {1}), quick());
    const auto* refusal = std::get_if<LawRefusal>(&outcome);
    ASSERT_NE(refusal, nullptr);
    EXPECT_NE(refusal->reason.find("at least 4 are needed"), std::string::npos) << refusal->reason;
  }
}

TEST(LeftOut, ARowThatAloneDecidesAParameterHasNoError) {
  const Law& law = *find_law("H_A");
  LawRows rows = law_rows_of(law, {60, 50, 6}, {16, 24, 32, 48}, {3}, {1}, 0.01);
  const LawRows lone = law_rows_of(law, {60, 50, 6}, {24}, {1}, {1});
  rows.ids.push_back("lone");
  rows.points.push_back(lone.points[0]);
  rows.measured_us.push_back(lone.measured_us[0]);
  rows.repeats_us.emplace_back();
  const LawFit found = fit(law, rows);
  EXPECT_TRUE(std::isnan(found.left_out.pct.back()));
  for (std::size_t i = 0; i + 1 < rows.size(); ++i)
    EXPECT_TRUE(std::isfinite(found.left_out.pct[i]));
}

TEST(Fit, ManyRowsAreFittedToo) {
  const Law& law = *find_law("competing_resources");
  std::vector<double> sms;
  for (int n = 2; n <= 66; ++n) sms.push_back(n);
  std::vector<double> tokens;
  for (int t = 1; t <= 20; ++t) tokens.push_back(t);
  const std::vector<double> truth{50, 9, 57, 89, 16};
  const LawFit found = fit(law, law_rows_of(law, truth, sms, kSources, tokens, 0.01));
  for (std::size_t j = 0; j < truth.size(); ++j) {
    EXPECT_NEAR(found.values[j], truth[j], 0.02 * truth[j]) << law.parameters[j].name;
    // Twice the 95% half-width is four standard errors.
    EXPECT_LT(std::abs(found.values[j] - truth[j]), found.ci95[j][1] - found.ci95[j][0]);
  }
}

}  // namespace
