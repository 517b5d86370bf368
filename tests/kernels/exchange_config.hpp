// Small configurations for the tests of the kernels' room.
#pragma once

#include <algorithm>
#include <numeric>
#include <random>
#include <vector>

#include "fanin/kernels/run.hpp"

namespace fanin::kernels::testing {

/// Distinct experts of each token, drawn from [first, last).
inline std::vector<std::int32_t> draw_routing(const Shape& shape, int most, int first, int last,
                                              unsigned seed) {
  std::mt19937 generator(seed);
  std::vector<std::int32_t> routing;
  std::vector<std::int32_t> experts(static_cast<std::size_t>(last - first));
  std::iota(experts.begin(), experts.end(), first);
  for (int i = 0; i < shape.attention_ranks() * most; ++i) {
    std::shuffle(experts.begin(), experts.end(), generator);
    routing.insert(routing.end(), experts.begin(), experts.begin() + shape.top_k);
  }
  return routing;
}

/// One block of a few exchanges, checked.
inline RunConfig checked_run(const Shape& shape, const std::vector<int>& tokens,
                             unsigned seed = 1) {
  RunConfig config;
  config.shape = shape;
  config.tokens = tokens;
  const int most = *std::max_element(tokens.begin(), tokens.end());
  config.routing = draw_routing(shape, most, 0, shape.experts, seed);
  config.graph_exchanges = 3;
  config.replays = 2;
  config.blocks = 1;
  config.warmup_blocks = 1;
  config.data_seed = seed;
  return config;
}

}  // namespace fanin::kernels::testing
