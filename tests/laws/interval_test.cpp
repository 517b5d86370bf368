// Intervals hold what they say: the truth lies inside as often as 95% allows for the number of
// trials. Fixed seeds, so the counts are the same everywhere.
#include <gtest/gtest.h>

#include <cmath>

#include "fanin/calibrate/law_fit.hpp"
#include "law_rows_of.hpp"

namespace {

using fanin::calibrate::fit_law;
using fanin::calibrate::LawFit;
using fanin::calibrate::LawFitOptions;
using fanin::calibrate::LawRows;
using fanin::calibrate::prediction_interval;
using fanin::model::find_law;
using fanin::model::Law;
using fanin::test::law_rows_of;

/// Share of (trial, parameter) pairs whose interval holds the truth.
double coverage(const Law& law, const std::vector<double>& truth, int trials, int draws,
                const std::vector<double>& sms) {
  int inside = 0;
  int all = 0;
  for (int trial = 0; trial < trials; ++trial) {
    const LawRows rows =
        law_rows_of(law, truth, sms, {1, 2, 3}, {1}, 0.01, static_cast<std::uint64_t>(trial) + 100);
    LawFitOptions options;
    options.draws = draws;
    options.starts = 16;
    const auto outcome = fit_law(law, rows, options);
    const auto* fit = std::get_if<LawFit>(&outcome);
    if (!fit) continue;
    for (std::size_t j = 0; j < truth.size(); ++j) {
      ++all;
      if (fit->ci95[j][0] <= truth[j] && truth[j] <= fit->ci95[j][1]) ++inside;
    }
  }
  return static_cast<double>(inside) / all;
}

TEST(Intervals, CovarianceCoversAsStated) {
  // 400 trials × 3 parameters: three standard errors of the trials are 3.3%.
  const double share = coverage(*find_law("H_A"), {60, 50, 6}, 400, 0, {8, 16, 24, 32, 48});
  EXPECT_GT(share, 0.917);
  EXPECT_LT(share, 0.983);
}

TEST(Intervals, BootstrapCoversNearlyAsStated) {
  // Percentiles of a resample of 21 rows cover a little less than they say.
  const double share = coverage(*find_law("competing_resources"), {50.5, 8.7, 57, 89, 15.8}, 60,
                                200, {8, 12, 16, 24, 32, 40, 48});
  RecordProperty("coverage", std::to_string(share));
  EXPECT_GT(share, 0.88);
  EXPECT_LT(share, 0.995);
}

TEST(Intervals, RepeatsThatScatterWidenThem) {
  const Law& law = *find_law("bandwidth_over_sms");
  LawRows calm = law_rows_of(law, {300, 14}, {4, 6, 8, 12, 16, 24, 32, 48}, {1}, {1}, 0.003);
  LawRows wild = calm;
  for (std::size_t i = 0; i < calm.size(); ++i) {
    const double t = calm.measured_us[i];
    calm.repeats_us[i] = {t, t, t};
    wild.repeats_us[i] = {0.9 * t, t, 1.1 * t};
  }
  const auto a = fit_law(law, calm);
  const auto b = fit_law(law, wild);
  const auto width = [](const auto& outcome) {
    const auto& ci = std::get<LawFit>(outcome).ci95[0];
    return ci[1] - ci[0];
  };
  EXPECT_GT(width(b), 2.0 * width(a));
}

TEST(Intervals, PredictionIntervalHoldsThePrediction) {
  const Law& law = *find_law("competing_resources");
  const LawRows rows =
      law_rows_of(law, {50, 9, 57, 89, 16}, {8, 16, 24, 32, 48}, {1, 2, 3}, {1}, 0.01);
  const auto outcome = fit_law(law, rows);
  const LawFit& fit = std::get<LawFit>(outcome);
  fanin::model::LawPoint far = rows.points.front();
  far.transport_sms = 96;
  far.sources = 4;
  const auto near_interval = prediction_interval(law, fit.draws, rows.points[7]);
  const auto far_interval = prediction_interval(law, fit.draws, far);
  EXPECT_LT(near_interval[0], fit.predicted_us[7]);
  EXPECT_GT(near_interval[1], fit.predicted_us[7]);
  EXPECT_GT(far_interval[1] - far_interval[0], near_interval[1] - near_interval[0]);
  EXPECT_TRUE(std::isnan(prediction_interval(law, {}, far)[0]));
}

}  // namespace
