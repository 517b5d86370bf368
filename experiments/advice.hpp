// Which number of transport SMs to take, from predictions over candidates.
#pragma once

#include <array>
#include <string>
#include <vector>

#include "output.hpp"

namespace fanin::experiments {

struct AdviceRow {
  int transport_sms = 0;
  double us = 0.0;
  std::array<double, 2> ci95{};      ///< NaN when the predictor has no interval
  std::vector<std::string> outside;  ///< fields outside the data: extrapolated
};

struct Advice {
  std::vector<AdviceRow> rows;  ///< by transport SMs, ascending
  std::size_t fastest = 0;      ///< index into rows; the fewest SMs of those that are equally fast
  std::size_t thrifty = 0;      ///< fewest SMs within the tolerance of the fastest
  bool at_edge = false;         ///< the fastest is the first or last row
  std::vector<std::string> reasons;  ///< sentences
};

/// Rows need not be sorted; there must be at least one. tolerance_pct ≥ 0.
Advice advise(std::vector<AdviceRow> rows, double tolerance_pct);

Json to_json(const Advice& advice);
void print(const Advice& advice, const std::string& predictor);

}  // namespace fanin::experiments
