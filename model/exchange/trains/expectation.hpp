// What random routing gives on average, and what the slowest of many workers takes.
#pragma once

namespace fanin::model {

/// How many of a token's `top_k` distinct experts, drawn evenly out of `experts`, lie on one GPU
/// that owns `share` of them: a hypergeometric variable.
struct RowsAtGpu {
  int experts;
  int share;
  int top_k;

  double none() const;  ///< chance that there is no such expert
  double variance() const;
  /// Mean of the largest of `draws` ≥ 1 independent tokens.
  double expected_largest(double draws) const;
};

/// How many standard deviations the slowest of `workers` lies above their mean: the normal quantile
/// of 1 − 1/(workers + 1); 0 for one worker or less.
double slowest_of(double workers);

/// (aᵖ + bᵖ)^(1/p): a maximum whose corner is rounded, since two nearly equal limits hold each
/// other up. a, b ≥ 0, p ≥ 1.
double smooth_maximum(double a, double b, double p);

}  // namespace fanin::model
