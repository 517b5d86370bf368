// Predicted against measured: rows, sets and what was left out.
#pragma once

#include <array>
#include <cstddef>
#include <map>
#include <string>
#include <vector>

#include "output.hpp"

namespace fanin::experiments {

struct CheckedRow {
  std::string id;
  std::string set;
  double measured_us = 0.0;
  double predicted_us = 0.0;
  std::array<double, 2> ci95{};             ///< NaN when the predictor has no interval
  std::array<double, 2> ci95_with_model{};  ///< ModelError::interval; NaN when it is not known
  bool fitted = false;                      ///< the predictor was fitted on this row
  bool extrapolated = false;                ///< outside the rows that the predictor was fitted on
  std::vector<std::string> outside;         ///< fields that make it so
  bool data_valid = true;                   ///< false: not in the aggregates

  double error_pct() const { return 100.0 * (predicted_us - measured_us) / measured_us; }
};

/// Of absolute relative errors, in percent; NaN when there is no row.
struct ErrorSummary {
  std::size_t n = 0;
  double median_abs_pct = 0.0;
  double p90_abs_pct = 0.0;  ///< linear between the neighbouring rows
  double max_abs_pct = 0.0;

  static ErrorSummary of(std::vector<double> errors_pct);
};

struct CheckResult {
  std::vector<CheckedRow> rows;
  std::map<std::string, std::size_t> skipped;  ///< by reason

  ErrorSummary all() const;  ///< over rows that delivered their data
  std::map<std::string, ErrorSummary> by_set() const;
};

Json to_json(const CheckResult& result);

/// `predictor` is named in the first line.
void print(const CheckResult& result, const std::string& predictor);

}  // namespace fanin::experiments
