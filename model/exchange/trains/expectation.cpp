#include "expectation.hpp"

#include <algorithm>
#include <boost/math/distributions/normal.hpp>
#include <cmath>

namespace fanin::model {

double RowsAtGpu::none() const {
  double chance = 1.0;
  for (int i = 0; i < top_k; ++i) {
    chance *= std::max(0.0, static_cast<double>(experts - share - i)) / (experts - i);
  }
  return chance;
}

double RowsAtGpu::variance() const {
  if (experts <= 1) return 0.0;
  const double p = static_cast<double>(share) / experts;
  return top_k * p * (1.0 - p) * (experts - top_k) / (experts - 1.0);
}

double RowsAtGpu::expected_largest(double draws) const {
  const int least = std::max(0, top_k - (experts - share));
  const int most = std::min(top_k, share);
  // P(k + 1) / P(k) of the hypergeometric distribution; the sum is normalised at the end.
  double weight = 1.0;
  double total = 0.0;
  double weights[2] = {0.0, 0.0};
  for (int pass = 0; pass < 2; ++pass) {
    weight = 1.0;
    double below = 0.0;
    for (int k = least; k <= most; ++k) {
      below += weight;
      if (pass == 1 && k < most) weights[1] += std::pow(below / total, draws);
      weight *= static_cast<double>(share - k) * (top_k - k) /
                ((k + 1.0) * (experts - share - top_k + k + 1.0));
    }
    total = below;
  }
  return most - weights[1];
}

double slowest_of(double workers) {
  if (workers <= 1.0) return 0.0;
  return boost::math::quantile(boost::math::normal_distribution<double>(),
                               1.0 - 1.0 / (workers + 1.0));
}

double smooth_maximum(double a, double b, double p) {
  const double larger = std::max(a, b);
  if (larger <= 0.0) return 0.0;
  return larger * std::pow(std::pow(a / larger, p) + std::pow(b / larger, p), 1.0 / p);
}

}  // namespace fanin::model
