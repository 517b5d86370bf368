// Which number of transport SMs to take, from predictions over candidates.
#pragma once

#include <array>
#include <limits>
#include <optional>
#include <string>
#include <vector>

#include "output.hpp"

namespace fanin::experiments {

struct AdviceRow {
  int transport_sms = 0;
  double us = 0.0;               ///< one exchange
  std::array<double, 2> ci95{};  ///< NaN when the predictor has no interval
  /// ModelError::interval; NaN when it is not known.
  std::array<double, 2> ci95_with_model{std::numeric_limits<double>::quiet_NaN(),
                                        std::numeric_limits<double>::quiet_NaN()};
  std::vector<std::string> outside;  ///< fields outside the data: extrapolated
  /// Exchange and the compute beside it, when both are done; NaN without compute.
  double both_us = std::numeric_limits<double>::quiet_NaN();
  std::string bound_by;  ///< what sets the time, where the predictor knows; else empty
};

struct Measured {
  int transport_sms = 0;
  double us = 0.0;
  std::string id;
};

struct Advice {
  std::vector<AdviceRow> rows;  ///< by transport SMs, ascending
  std::size_t fastest = 0;      ///< index into rows; the fewest SMs of those equally fast
  std::size_t thrifty = 0;      ///< fewest SMs within the tolerance of the fastest
  std::optional<std::size_t> beside_compute;  ///< smallest both_us
  bool at_edge = false;                       ///< the fastest is the first or last row
  std::optional<AdviceRow> stock;             ///< at the SMs that stock DeepEP V2 would take
  std::optional<Measured> recorded;           ///< fastest measurement of the same exchange
  std::vector<std::string> reasons;           ///< sentences

  /// How much slower stock's choice is than the fastest; negative: faster. Precondition: stock.
  double stock_loss_pct() const { return 100.0 * (stock->us / rows[fastest].us - 1.0); }
};

/// Rows need not be sorted; there must be at least one. tolerance_pct ≥ 0. Adds what follows from
/// the rows alone to `reasons`.
Advice advise(std::vector<AdviceRow> rows, double tolerance_pct);

Json to_json(const Advice& advice);
void print(const Advice& advice, const std::string& predictor);

}  // namespace fanin::experiments
