#include "expectation.hpp"

#include <gtest/gtest.h>

#include <cmath>
#include <vector>

namespace fanin::model {
namespace {

double choose(int n, int k) {
  if (k < 0 || k > n) return 0.0;
  double result = 1.0;
  for (int i = 0; i < k; ++i) result *= static_cast<double>(n - i) / (i + 1);
  return result;
}

TEST(RowsAtGpu, MatchesTheHypergeometricDistribution) {
  for (const RowsAtGpu at :
       {RowsAtGpu{128, 64, 8}, RowsAtGpu{96, 32, 8}, RowsAtGpu{16, 4, 6}, RowsAtGpu{8, 8, 8}}) {
    double mean = 0.0;
    double square = 0.0;
    std::vector<double> below;
    double total = 0.0;
    for (int k = 0; k <= at.top_k; ++k) {
      const double p = choose(at.share, k) * choose(at.experts - at.share, at.top_k - k) /
                       choose(at.experts, at.top_k);
      mean += k * p;
      square += k * k * p;
      total += p;
      below.push_back(total);
    }
    EXPECT_NEAR(at.none(), below[0], 1e-12);
    EXPECT_NEAR(at.variance(), square - mean * mean, 1e-9);
    EXPECT_NEAR(at.expected_largest(1), mean, 1e-9);
    for (const double draws : {2.0, 64.0, 4096.0}) {
      double largest = at.top_k;
      for (int k = 0; k < at.top_k; ++k)
        largest -= std::pow(below[static_cast<std::size_t>(k)], draws);
      EXPECT_NEAR(at.expected_largest(draws), largest, 1e-9);
    }
  }
}

TEST(RowsAtGpu, RecordedDistinctDestinations) {
  EXPECT_NEAR(2 * (1.0 - (RowsAtGpu{128, 64, 8}.none())), 1.9938, 1e-4);
  EXPECT_NEAR(3 * (1.0 - (RowsAtGpu{96, 32, 8}.none())), 2.8999, 1e-4);
  EXPECT_EQ((RowsAtGpu{128, 128, 8}.none()), 0.0);
}

TEST(SlowestOf, IsTheNormalQuantile) {
  EXPECT_EQ(slowest_of(1), 0.0);
  EXPECT_EQ(slowest_of(0), 0.0);
  EXPECT_NEAR(slowest_of(39), 1.959964, 1e-6);  // 1 − 1/40 = 0.975
  EXPECT_LT(slowest_of(192), slowest_of(1056));
}

TEST(SmoothMaximum, LiesBetweenMaximumAndSum) {
  EXPECT_NEAR(smooth_maximum(3.0, 4.0, 2.0), 5.0, 1e-12);
  EXPECT_NEAR(smooth_maximum(3.0, 4.0, 1.0), 7.0, 1e-12);
  EXPECT_NEAR(smooth_maximum(3.0, 4.0, 100.0), 4.0, 1e-9);
  EXPECT_EQ(smooth_maximum(0.0, 0.0, 2.0), 0.0);
  EXPECT_EQ(smooth_maximum(0.0, 5.0, 4.3), 5.0);
}

}  // namespace
}  // namespace fanin::model
