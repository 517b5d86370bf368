// What each fix saves on one exchange, with a whole profile.
#pragma once

#include <array>
#include <map>
#include <optional>
#include <string>
#include <vector>

#include "fanin/hw/profile.hpp"
#include "fanin/model/fixes.hpp"
#include "fanin/model/operations.hpp"
#include "fanin/model/simulate.hpp"
#include "fix_sets.hpp"

namespace fanin::experiments {

struct FixRow {
  std::string fix;  ///< "7", "1:at=exit", "4+8"
  std::vector<model::Fix> fixes;
  double exchange_us = 0.0;             ///< with the fix
  double saving_us = 0.0;               ///< baseline − fixed, heaviest member; positive is faster
  std::array<double, 2> saving_ci95{};  ///< over all members, and over shares that no data separate
  std::map<std::string, std::map<std::string, std::int64_t>>
      operations_removed;  ///< negative: added
  std::string bound;       ///< what then bounds the exchange most
  bool wire_visible = false;
  model::FixScope scope = model::FixScope::any;
  bool safe = false;       ///< no violation in the safety explorer's small systems
  bool exhausted = false;  ///< and those were explored completely
  std::optional<double>
      authors_us;   ///< their prediction, where they made one for this configuration
  std::string why;  ///< where that differs from saving_us, the reason; else empty
};

struct FixStudy {
  double baseline_us = 0.0;
  std::string baseline_bound;
  std::vector<FixRow> rows;  ///< every fix that the exchange can have, in each of its forms
  std::vector<RefusedFixes> refused;
  std::optional<FixRow> best;  ///< the best combination found; the fewest fixes among equals
};

/// Profiles that the data allow about equally: members of the ensemble, each with the ends of the
/// shares that nobody measured (a doorbell's share of a fetch-add's time, an inline WRITE's).
std::vector<std::pair<hw::Profile, double>> profiles_allowed(const hw::Profile& profile,
                                                             const std::vector<model::Fix>& fixes);

/// Row of one set of fixes. Precondition: model::fix_problems() is empty.
FixRow study_fix(const model::Exchange& exchange, const hw::Profile& profile,
                 const std::vector<model::Fix>& fixes);

/// `only`: these sets; empty: all fixes with their sub-variants, and the best combination.
FixStudy study_fixes(const model::Exchange& exchange, const hw::Profile& profile,
                     const std::vector<std::vector<model::Fix>>& only);

/// The saving that the fixes' authors predicted for one token, 24 SMs and this many sources;
/// nullopt where they gave no figure.
std::optional<double> authors_saving(const model::Exchange& exchange,
                                     const std::vector<model::Fix>& fixes);

}  // namespace fanin::experiments
