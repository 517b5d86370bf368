// Which sets of fixes a study tries on an exchange.
#pragma once

#include <string>
#include <vector>

#include "fanin/model/fixes.hpp"

namespace fanin::experiments {

/// Fixes that the exchange cannot have, and why.
struct RefusedFixes {
  std::vector<std::string> fixes;
  std::string reason;
};

bool has(const std::vector<model::Fix>& fixes, int number);

/// Every form of every fix alone, and all silent directions together.
std::vector<std::vector<model::Fix>> possible_fixes(const model::Exchange& exchange);

/// Grouped by reason, in order of the fixes.
std::vector<RefusedFixes> refused_fixes(const model::Exchange& exchange);

/// All sets that go together, of every fix once in its standard form but fewer channels; the
/// silent directions of a symmetric exchange all or none.
std::vector<std::vector<model::Fix>> combinations(const model::Exchange& exchange);

/// The set with one of its fixes left out, or in another form; or with fewer channels.
std::vector<std::vector<model::Fix>> neighbours(const model::Exchange& exchange,
                                                const std::vector<model::Fix>& fixes);

}  // namespace fanin::experiments
