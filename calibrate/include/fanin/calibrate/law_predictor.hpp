// A fitted law as a predictor of records, and as a JSON file.
#pragma once

#include <array>
#include <string>
#include <vector>

#include "fanin/calibrate/law_contest.hpp"

namespace fanin::calibrate {

inline constexpr int kLawFileVersion = 1;

struct LawPrediction {
  double us = 0.0;
  std::array<double, 2> ci95{};      ///< of the law's value; NaN without draws
  std::vector<std::string> outside;  ///< fields outside the range of the fit: extrapolated
};

class LawPredictor {
 public:
  const model::Law* law = nullptr;
  std::vector<double> values;  ///< in the parameters' units
  std::vector<std::array<double, 2>> ci95;
  std::vector<std::vector<double>> draws;  ///< parameter sets that the data allow alike
  std::vector<std::string> fitted_rows;    ///< ids; predictions of these are not predictions
  LawDomain domain;                        ///< of the fitted rows
  double max_abs_pct = 0.0;                ///< in sample
  double loo_rms_pct = 0.0;

  /// The fit to all rows of a contest.
  static LawPredictor of(const Contest& contest, const Contestant& contestant);

  bool fitted_on(const std::string& id) const;

  /// Throws InputError (place: the id) that names fields that the law reads and the record does not
  /// state.
  LawPrediction predict(const Record& record) const;

  /// The same for a point, of which the law reads what it needs.
  LawPrediction predict(const model::LawPoint& point) const;
};

/// One JSON object; at most 400 of the draws.
std::string to_json(const LawPredictor& predictor);

/// Reads what to_json wrote. Throws InputError with `path` and the field for anything else.
LawPredictor read_law_predictor(const std::string& path);

}  // namespace fanin::calibrate
