// What a finished sweep says about transport SMs: the fastest of the grid beside what stock DeepEP
// V2 would take, for each exchange that the grid holds at several of them.
#pragma once

#include <string>
#include <vector>

#include "output.hpp"
#include "sweep.hpp"

namespace fanin::experiments {

struct SmChoice {
  std::string exchange;  ///< the point's flags but transport-sms, as JSON
  int fastest_sms = 0;
  double fastest_us = 0.0;
  int stock_sms = 0;
  double stock_us = 0.0;  ///< predicted at those SMs, whether the grid has them or not
  /// How much slower stock's choice is than the grid's fastest; negative: faster.
  double stock_loss_pct() const { return 100.0 * (stock_us / fastest_us - 1.0); }
};

/// One for each exchange of the sweep, in the order of the grid. Precondition: the sweep has run.
/// Simulates stock's choices that the grid does not have.
std::vector<SmChoice> sm_choices(const Sweep& sweep, unsigned threads);

Json to_json(const std::vector<SmChoice>& choices);
/// A table of the first `most` of at least one, with the flags that tell them apart.
void print(const std::vector<SmChoice>& choices, std::size_t most);

}  // namespace fanin::experiments
