#include "train_load.hpp"

#include <algorithm>
#include <cmath>

#include "expectation.hpp"

namespace fanin::model {

TrainLoad::TrainLoad(const Exchange& exchange)
    : attention_ranks_(exchange.attention_ranks),
      ffn_ranks_(exchange.ffn_ranks),
      tokens_(exchange.tokens),
      experts_(exchange.experts),
      top_k_(exchange.top_k),
      rows_(static_cast<std::size_t>(exchange.attention_ranks * exchange.ffn_ranks)),
      expert_rows_(static_cast<std::size_t>(exchange.ffn_ranks)) {
  if (exchange.routing) {
    follow_table(exchange);
  } else {
    expect(exchange);
  }
}

void TrainLoad::expect(const Exchange& exchange) {
  const RowsAtGpu at_gpu{experts_, experts_ / ffn_ranks_, top_k_};
  std::fill(rows_.begin(), rows_.end(), tokens_ * (1.0 - at_gpu.none()));
  std::fill(expert_rows_.begin(), expert_rows_.end(),
            static_cast<double>(attention_ranks_) * exchange.tokens * top_k_ / ffn_ranks_);
}

void TrainLoad::follow_table(const Exchange& exchange) {
  const RoutingTable& table = *exchange.routing;
  const int per_gpu = experts_ / ffn_ranks_;
  token_rows_.resize(static_cast<std::size_t>(ffn_ranks_));
  std::vector<std::int32_t> at(static_cast<std::size_t>(ffn_ranks_));
  for (int rank = 0; rank < attention_ranks_; ++rank) {
    for (int token = 0; token < tokens_; ++token) {
      std::fill(at.begin(), at.end(), 0);
      const std::size_t first =
          (static_cast<std::size_t>(rank) * table.tokens + token) * table.top_k;
      for (int i = 0; i < table.top_k; ++i) {
        const std::int32_t expert = table.experts[first + static_cast<std::size_t>(i)];
        if (expert >= 0) ++at[static_cast<std::size_t>(expert / per_gpu)];
      }
      for (std::size_t ffn = 0; ffn < at.size(); ++ffn) {
        if (at[ffn] == 0) continue;
        rows_[static_cast<std::size_t>(rank * ffn_ranks_) + ffn] += 1.0;
        expert_rows_[ffn] += at[ffn];
        token_rows_[ffn].push_back(at[ffn]);
      }
    }
  }
}

double TrainLoad::rows_of_attention(int attention) const {
  double sum = 0.0;
  for (int ffn = 0; ffn < ffn_ranks_; ++ffn) sum += rows(attention, ffn);
  return sum;
}

double TrainLoad::rows_of_ffn(int ffn) const {
  double sum = 0.0;
  for (int attention = 0; attention < attention_ranks_; ++attention) sum += rows(attention, ffn);
  return sum;
}

TrainLoad::BusiestWarp TrainLoad::busiest_warp(int ffn, int warps, double token_us,
                                               double row_us) const {
  const double tokens = rows_of_ffn(ffn);
  const double active = std::round(std::min<double>(warps, tokens)) * ffn_ranks_;
  if (!token_rows_.empty()) {
    const std::vector<std::int32_t>& rows_of = token_rows_[static_cast<std::size_t>(ffn)];
    BusiestWarp busiest{0.0, 0.0, 0.0, active};
    for (std::size_t warp = 0;
         warp < std::min<std::size_t>(rows_of.size(), static_cast<std::size_t>(warps)); ++warp) {
      double own_tokens = 0.0;
      double own_rows = 0.0;
      for (std::size_t i = warp; i < rows_of.size(); i += static_cast<std::size_t>(warps)) {
        own_tokens += 1.0;
        own_rows += rows_of[i];
      }
      if (own_tokens * token_us + own_rows * row_us >
          busiest.tokens * token_us + busiest.rows * row_us) {
        busiest.tokens = own_tokens;
        busiest.rows = own_rows;
      }
    }
    return busiest;
  }
  const RowsAtGpu at_gpu{experts_, experts_ / ffn_ranks_, top_k_};
  const double turns = std::max(1.0, std::ceil(tokens / warps - 1e-6));
  if (turns == 1.0) {
    const double draws = static_cast<double>(attention_ranks_) * tokens_ * ffn_ranks_;
    return {1.0, at_gpu.expected_largest(draws), 0.0, active};
  }
  const double rows_per_token = expert_rows(ffn) / tokens;
  return {turns, turns * rows_per_token, turns * at_gpu.variance(), active};
}

}  // namespace fanin::model
