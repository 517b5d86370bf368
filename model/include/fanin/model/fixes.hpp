// The nine protocol changes: what each is, what it needs, and which go together.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "fanin/model/exchange.hpp"

namespace fanin::model {

struct FixOption {
  std::string_view name;
  std::string_view values;    ///< "entry or exit", "a whole number"
  std::string_view standard;  ///< value when it is not given
  std::string_view meaning;
};

struct FixConflict {
  int other;
  std::string_view reason;
};

struct FixInfo {
  int number;
  std::string_view name;
  std::string_view change;  ///< what changes, in one sentence
  bool wire_visible;        ///< both sides must have it; false: one side alone can change
  bool roles_only;          ///< only for roles that are kept apart
  std::string_view needs;   ///< of transport and code
  std::vector<std::string_view> relieves;  ///< resources, as critical paths name them
  std::string_view experiment;             ///< a cheap run that would tell its saving
  std::vector<FixOption> options;
  std::vector<FixConflict> conflicts;
};

/// Precondition: 1 ≤ number ≤ 9.
const FixInfo& fix_info(int number);

/// Everything wrong with a set of fixes on `exchange`, one message an entry: unknown options,
/// values out of range, pairs that exclude each other, paths and protocols that have nothing to
/// fix.
std::vector<std::string> fix_problems(const Exchange& exchange, const std::vector<Fix>& fixes);

}  // namespace fanin::model
