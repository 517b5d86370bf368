// From measurements to a profile: robust relative least squares through a predictor, from several
// starts, with intervals, several optima where the data allow several, and errors on rows that were
// held out.
#pragma once

#include <array>
#include <functional>
#include <map>
#include <string>
#include <vector>

#include "fanin/calibrate/fit_plan.hpp"
#include "fanin/calibrate/prediction.hpp"
#include "fanin/calibrate/record.hpp"
#include "fanin/calibrate/timeline.hpp"

namespace fanin::calibrate {

struct CalibrationOptions {
  double noise_pct = 1.0;      ///< > 0: the same configuration differs by this from day to day
  double robust_at = 4.0;      ///< > 0, in units of noise: larger residuals count linearly (Huber)
  double timeline_rows = 2.0;  ///< ≥ 0: all kernel times of one trace weigh like so many rows, and
                               ///< all its points like so many more
  double kernel_noise_us = 1.0;  ///< > 0: least standard deviation of a kernel's or point's time
  int starts = 6;                ///< ≥ 1: the profile's values, then draws from the priors
  int iterations = 14;           ///< ≥ 1, of the best starts; others get fewer
  int threads = 2;               ///< ≥ 1; the result does not depend on it
  bool splits = true;            ///< also the held-out errors
  std::size_t members = 6;       ///< ≥ 1, of the ensemble at most
  std::function<void(const std::string&)> progress;  ///< called with one line a step; may be empty

  /// Everything that is wrong, each starting with the field's name.
  std::vector<std::string> validate() const;
};

/// Errors in percent of rows, as `check` states them.
struct ErrorSummary {
  std::size_t n = 0;
  double median_abs_pct = 0.0;
  double p90_abs_pct = 0.0;
  double max_abs_pct = 0.0;
  std::string worst_id;
};
ErrorSummary summarise(const std::vector<std::pair<std::string, double>>& error_pct_by_id);

struct Estimate {
  FreeParameter parameter;
  double value = 0.0;
  /// From the curvature, inflated to the residuals' size, around every optimum of the ensemble.
  std::array<double, 2> ci95{};
  bool identified = true;  ///< false: the rows hardly narrow the prior, so the value is the prior
};

struct Correlation {
  std::string first;
  std::string second;
  double value = 0.0;
};

/// One fit without the rows of a split, judged on them; "…, in sample": on the rows fitted.
struct SplitErrors {
  std::string name;  ///< "S=3 from S<=2", "without set X", "every row, its set held out" …
  std::size_t fitted = 0;
  bool timelines = false;  ///< kernel times took part in the fit
  ErrorSummary errors;
};

struct Calibration {
  hw::Profile profile;  ///< complete but for fitted_command, with the report as its JSON text
  std::vector<Estimate> estimates;
  std::vector<Correlation> correlations;  ///< those beyond ±0.8, strongest first
  double misfit = 0.0;       ///< Σ of squared residuals in units of noise, priors included
  std::size_t distinct = 0;  ///< configurations that the rows have
  std::size_t optima = 1;    ///< that the data allow; the ensemble has more members (their spread)
  ErrorSummary all;
  std::map<std::string, ErrorSummary> by_set;
  ErrorSummary kernels_pct;  ///< of starts and ends, in percent of the period; n = 0 without traces
  double kernels_median_us = 0.0;
  ErrorSummary points_pct;  ///< of the stamped points' times, likewise; n = 0 without stamps
  double points_median_us = 0.0;
  std::vector<SplitErrors> held_out;
  /// 100 · (predicted − measured) / measured of each row, by id, after a fit without its set; with
  /// timelines where there are any. Empty without splits, or with one set.
  std::map<std::string, double> held_out_pct;
  std::map<std::string, std::size_t> skipped;
};

/// Fits the plan's free parameters to the rows and traces whose cluster is the profile's. Rows with
/// data_valid false stay out. Deterministic. Throws InputError when no usable row is left.
Calibration calibrate(const std::vector<Record>& records, const std::vector<Timeline>& timelines,
                      const FitPlan& plan, const Predictor& predictor,
                      const CalibrationOptions& options = {});

/// FNV-1a over the rows' JSON, in order of id, as 16 hex digits.
std::string hash_of(const std::vector<Record>& records);

}  // namespace fanin::calibrate
