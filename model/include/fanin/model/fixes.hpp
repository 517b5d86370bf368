// The protocol changes: what each is, what it needs, and which go together. Simulator, safety
// explorer and verbs all read this catalogue.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "fanin/model/exchange.hpp"

namespace fanin::model {

/// 1 to 9 are the protocol description's. 10 to 13 exist only on the symmetric exchange, where its
/// GPUs have roles: they leave out the finishes of directions that never carry a row.
inline constexpr int kFixes = 13;

struct FixOption {
  std::string_view name;
  std::vector<std::string_view> choices;  ///< the only values; empty: a whole number
  std::string_view standard;              ///< value when it is not given
  std::string_view meaning;
};

struct FixConflict {
  int other;
  std::string_view reason;
};

/// Protocols that a fix changes.
enum class FixScope { any, role, symmetric };
/// "any", "role", "symmetric".
std::string_view to_string(FixScope);

struct FixInfo {
  int number;
  std::string_view name;
  std::string_view change;  ///< what changes, in one sentence
  bool wire_visible;        ///< both sides must have it; false: one side alone can change
  FixScope scope;
  std::string_view needs;                  ///< of transport and code
  std::vector<std::string_view> relieves;  ///< resources, as critical paths name them
  std::string_view experiment;             ///< a cheap run that would tell its saving
  /// Worth a row of their own, as users write them: every choice, or a few numbers.
  std::vector<std::string_view> forms;
  std::vector<FixOption> options;
  std::vector<FixConflict> conflicts;
};

/// Precondition: 1 ≤ number ≤ kFixes.
const FixInfo& fix_info(int number);

/// Everything wrong with a set of fixes on `exchange`, one message an entry: unknown options,
/// values out of range, pairs that exclude each other, paths and protocols that have nothing to
/// fix.
std::vector<std::string> fix_problems(const Exchange& exchange, const std::vector<Fix>& fixes);

/// Every form of every fix, by number.
std::vector<Fix> single_fixes();

}  // namespace fanin::model
