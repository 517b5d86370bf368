// The family of laws against each other on the same rows: who predicts what it was not fitted on.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "fanin/calibrate/law_fit.hpp"
#include "fanin/calibrate/where.hpp"

namespace fanin::calibrate {

struct ContestOptions {
  LawFitOptions fit;
  /// Laws to fit; empty: all that read every field that varies, and all that read channels and
  /// sources; when none of these can be fitted, the others.
  std::vector<const model::Law*> laws;
  std::optional<Where> holdout;  ///< rows that a second fit does not see
};

/// The second fit, without the held-out rows.
struct HeldOut {
  LawErrors errors;            ///< over the held-out rows only, in their order
  std::vector<double> values;  ///< empty when the law was refused on the rest
  std::string refused;         ///< why, else empty
};

enum class Standing {
  best,      ///< smallest error on rows not fitted
  stands,    ///< the rows do not tell it from the best
  rejected,  ///< worse than the best in at least 95% of resamples of the rows
  untested   ///< no error on rows not fitted
};

std::string_view to_string(Standing standing);

struct Contestant {
  LawFit fit;                       ///< to all rows
  std::optional<HeldOut> held_out;  ///< when ContestOptions::holdout is given
  Standing standing = Standing::untested;
  double better_share = 0.0;  ///< share of resamples of the rows in which it beats the best
};

struct Contest {
  LawRows rows;
  LawDomain domain;
  std::vector<Contestant> laws;  ///< in the family's order
  std::vector<LawRefusal> refused;
  std::vector<std::string> untried;   ///< laws that do not read a field that varies
  std::vector<std::size_t> held_out;  ///< rows that the hold-out selects
  /// Index into laws: smallest worst row of the hold-out where given, else smallest leave-one-out
  /// rms. nullopt when no law has such an error.
  std::optional<std::size_t> best;
};

/// Throws InputError when no law can be fitted (one line with every law's reason), and when the
/// hold-out selects no row or every row.
Contest contest(const std::vector<Record>& records, const ContestOptions& options = {});

}  // namespace fanin::calibrate
