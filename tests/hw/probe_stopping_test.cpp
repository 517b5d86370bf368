#include <gtest/gtest.h>

#include <cmath>
#include <stdexcept>

#include "fanin/probe/probe.hpp"
#include "fanin/probe/stopping.hpp"

namespace fanin::probe {
namespace {

TEST(ProbeStopping, MedianAndOrderStatistics) {
  std::vector<double> samples;
  for (int i = 100; i >= 1; --i) samples.push_back(i);
  const Estimate result = estimate(samples);
  EXPECT_EQ(result.median, 50.5);
  // Ranks 50 ± 9.8, one wider: the 40th and the 61st of 100 samples or thereabouts.
  EXPECT_NEAR(result.ci95[0], 40, 1);
  EXPECT_NEAR(result.ci95[1], 61, 1);
  EXPECT_EQ(result.samples, 100);
}

TEST(ProbeStopping, TooFewOrBrokenSamplesAreRefused) {
  EXPECT_THROW(estimate({1, 2, 3, 4, 5}), std::invalid_argument);
  EXPECT_THROW(estimate({1, 2, 3, 4, 5, NAN}), std::invalid_argument);
}

TEST(ProbeStopping, StopsWhenNarrowAndNotBefore) {
  StoppingRule rule;
  rule.spread = 0.01;
  rule.least = 20;
  const Estimate steady = measure(rule, [] { return 7.0; });
  EXPECT_EQ(steady.samples, 20);
  EXPECT_EQ(steady.stopped, Stop::converged);
}

TEST(ProbeStopping, StopsAtMostSamplesWhenNoisy) {
  StoppingRule rule;
  rule.spread = 1e-6;
  rule.most = 50;
  rule.seconds = 60;
  int calls = 0;
  const Estimate noisy = measure(rule, [&] { return 1.0 + (++calls % 7); });
  EXPECT_EQ(noisy.samples, 50);
  EXPECT_EQ(noisy.stopped, Stop::most);
}

TEST(ProbeStopping, JoinTakesInEveryRound) {
  const Estimate joined = join(
      {estimate({1, 1, 1, 1, 1, 1}), estimate({3, 3, 3, 3, 3, 3}), estimate({2, 2, 2, 2, 2, 2})});
  EXPECT_EQ(joined.median, 2);
  EXPECT_LE(joined.ci95[0], 1);
  EXPECT_GE(joined.ci95[1], 3);
  EXPECT_EQ(joined.samples, 18);
}

TEST(ProbeStopping, JoinAllowsForTheScatterOfFewRounds) {
  // Student's t of 2 degrees of freedom: 4.303 · 1 / √3 around 2.
  const Estimate joined = join(
      {estimate({1, 1, 1, 1, 1, 1}), estimate({3, 3, 3, 3, 3, 3}), estimate({2, 2, 2, 2, 2, 2})});
  EXPECT_NEAR(joined.ci95[0], 2 - 2.4843, 1e-3);
  EXPECT_NEAR(joined.ci95[1], 2 + 2.4843, 1e-3);
  const Estimate alone = join({estimate({1, 1, 1, 1, 1, 1})});
  EXPECT_EQ(alone.ci95[0], 1);
  EXPECT_EQ(alone.ci95[1], 1);
}

Figure figure_of(double median, const std::string& unit, const std::string& parameter) {
  Figure figure;
  figure.name = "some.figure";
  figure.unit = unit;
  figure.parameter = parameter;
  figure.estimate.median = median;
  figure.estimate.ci95 = {median, median};
  figure.low = 1;
  figure.high = 1000;
  return figure;
}

TEST(ProbeProfile, MeasuredParametersInTheirUnit) {
  const hw::Profile profile =
      to_profile({figure_of(800, "ns", "gpu.kernel_gap"), figure_of(5, "ns", "")},
                 Machine{"GPU", 132, "13.0", "13.0"}, "x1", "fanin probe");
  ASSERT_EQ(profile.parameters.size(), 1u);
  EXPECT_DOUBLE_EQ(profile.value("gpu.kernel_gap"), 0.8);
  EXPECT_EQ(profile.parameters.at("gpu.kernel_gap").source, hw::Source::measured);
}

TEST(ProbeProfile, FlaggedFiguresStayOut) {
  const Figure impossible = figure_of(5000, "ns", "gpu.kernel_gap");
  EXPECT_NE(impossible.flag(), "");
  EXPECT_TRUE(to_profile({impossible}, Machine{}, "x1", "fanin probe").parameters.empty());
}

}  // namespace
}  // namespace fanin::probe
