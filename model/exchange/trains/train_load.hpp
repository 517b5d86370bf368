// How much each GPU sends, expands and combines in one exchange, where rows go from GPU to GPU.
#pragma once

#include <cstdint>
#include <vector>

#include "fanin/model/exchange.hpp"

namespace fanin::model {

/// With a routing table, counts of that table. Without, expected values of random routing.
class TrainLoad {
 public:
  explicit TrainLoad(const Exchange& exchange);

  /// Tokens of one Attention GPU that have an expert on one FFN GPU: rows between the two, each
  /// way.
  double rows(int attention, int ffn) const {
    return rows_[static_cast<std::size_t>(attention * ffn_ranks_ + ffn)];
  }
  double rows_of_attention(int attention) const;
  double rows_of_ffn(int ffn) const;
  /// Rows after the copy epilogue, one for each (token, expert).
  double expert_rows(int ffn) const { return expert_rows_[static_cast<std::size_t>(ffn)]; }

  /// The warp of the combine with most to do, of `warps` that take tokens in turn: how many tokens,
  /// and how many expert rows they have on average and in variance.
  struct BusiestWarp {
    double tokens;
    double rows;
    double rows_variance;
    double warps;  ///< warps of all FFN GPUs that have a token: of so many it is the slowest
  };
  /// `token_us`, `row_us`: what a token and a row cost, which decides between warps of a table.
  BusiestWarp busiest_warp(int ffn, int warps, double token_us, double row_us) const;

 private:
  void expect(const Exchange& exchange);
  void follow_table(const Exchange& exchange);

  int attention_ranks_;
  int ffn_ranks_;
  int tokens_;
  int experts_;
  int top_k_;
  std::vector<double> rows_;         // [attention · F + ffn]
  std::vector<double> expert_rows_;  // [ffn]
  // With a table: the expert rows of each token at the FFN GPU, in order of (source, token).
  std::vector<std::vector<std::int32_t>> token_rows_;
};

}  // namespace fanin::model
