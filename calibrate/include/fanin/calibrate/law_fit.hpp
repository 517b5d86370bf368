// Fits one latency law to rows: estimates, intervals, errors in sample and left out, or a refusal
// that names what the rows cannot tell.
//
// Loss: the sum over rows of weight · ((predicted − measured) / scale)², scale = measured
// (relative) or 1 µs (absolute). Laws that are linear in their parameters are solved by QR, the
// others by Levenberg–Marquardt from many deterministic starts.
#pragma once

#include <array>
#include <cstdint>
#include <limits>
#include <string>
#include <variant>
#include <vector>

#include "fanin/calibrate/law_rows.hpp"
#include "fanin/model/law.hpp"

namespace fanin::calibrate {

enum class LawLoss { relative, absolute };
/// equal: every row counts the same. repeats: a row counts as often as it was repeated (once where
/// the repeats are not known).
enum class LawWeights { equal, repeats };

struct LawFitOptions {
  LawLoss loss = LawLoss::relative;
  LawWeights weights = LawWeights::equal;
  int draws = 1000;        ///< bootstrap draws over rows and their repeats, ≥ 0; 0: no intervals
                           ///< for laws that are not linear
  std::uint64_t seed = 1;  ///< same seed, same result
  int starts = 64;         ///< of the non-linear fits, ≥ 1
  /// Above this many rows, intervals come from the covariance of the linearised law, and
  /// leave-one-out errors from its leverages: refitting thousands of times would show nothing else.
  std::size_t refit_rows = 400;
};

/// Relative errors in percent, 100 · (predicted − measured) / measured.
struct LawErrors {
  std::vector<double> pct;  ///< one a row; NaN where it is not defined
  double max_abs = std::numeric_limits<double>::quiet_NaN();
  double rms = std::numeric_limits<double>::quiet_NaN();  ///< over the rows where it is defined

  static LawErrors of(std::vector<double> pct);
};

struct LawFit {
  const model::Law* law = nullptr;
  std::vector<double> values;               ///< in the parameters' units
  std::vector<std::array<double, 2>> ci95;  ///< NaN when there are no intervals
  std::string interval_method;              ///< "covariance" (Student t) or "bootstrap"
  std::vector<std::vector<double>> draws;   ///< parameter sets that the data allow alike
  std::size_t draws_refused = 0;            ///< resamples that did not determine all parameters
  std::vector<double> predicted_us;         ///< one a row
  LawErrors in_sample;
  LawErrors left_out;                ///< leave-one-out; NaN where the row alone decides
                                     ///< a parameter
  std::vector<int> rows_per_branch;  ///< rows that each competing branch decides
  /// Other optima whose rms error is within a tenth of the best one's, best first.
  std::vector<std::vector<double>> alternatives;
};

struct LawRefusal {
  const model::Law* law = nullptr;
  std::string reason;                   ///< one line
  std::vector<std::string> parameters;  ///< that the rows cannot tell, or cannot tell apart
};

using LawOutcome = std::variant<LawFit, LawRefusal>;

/// Needs more rows than the law has parameters. All fields that the law reads must be stated
/// (missing_fields).
LawOutcome fit_law(const model::Law& law, const LawRows& rows, const LawFitOptions& options = {});

/// 95% interval of what the law predicts over `draws`, µs; NaN with fewer than 40.
std::array<double, 2> prediction_interval(const model::Law& law,
                                          const std::vector<std::vector<double>>& draws,
                                          const model::LawPoint& point);

}  // namespace fanin::calibrate
