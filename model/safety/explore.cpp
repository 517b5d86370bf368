#include <utility>

#include "exchange_steps.hpp"
#include "fanin/hw/error.hpp"
#include "fanin/model/safety.hpp"
#include "rules.hpp"
#include "search.hpp"

namespace fanin::model::safety {

std::string to_string(ViolationKind kind) {
  switch (kind) {
    case ViolationKind::lost_signal: return "lost signal";
    case ViolationKind::double_signal: return "double signal";
    case ViolationKind::read_before_written: return "row read before it is written";
    case ViolationKind::cleared_after_reuse: return "word cleared after reuse";
    case ViolationKind::deadlock: return "deadlock";
    case ViolationKind::token_lost: return "token not delivered exactly once";
    case ViolationKind::overwritten_in_use: return "buffer overwritten while in use";
  }
  return {};
}

Program steps_of(const Variant& variant, const System& system) {
  const std::vector<std::string> problems = system.validate();
  if (!problems.empty()) throw InputError("system", problems.front());
  return ExchangeSteps(system, rules_of(variant, system)).build();
}

Verdict explore(const Program& program, const Options& options) {
  const Relations relations(program);
  return options.samples > 0 ? sample(relations, options) : exhaust(relations, options);
}

Verdict explore(const Variant& variant, const System& system, const Options& options) {
  const std::string name = to_string(variant);
  Options named = options;
  if (options.progress) {
    named.progress = [&](const Progress& progress) {
      options.progress({name, system.name, progress.states, progress.samples});
    };
  }
  Verdict verdict = explore(steps_of(variant, system), named);
  if (verdict.first_violation) verdict.first_violation->system = system.name;
  return verdict;
}

void merge(Verdict& total, const Verdict& part) {
  total.states += part.states;
  total.schedules += part.schedules;
  total.violations += part.violations;
  total.exhausted = total.exhausted && part.exhausted;
  if (!part.first_violation) return;
  if (total.first_violation &&
      total.first_violation->lines.size() <= part.first_violation->lines.size()) {
    return;
  }
  total.first_violation = part.first_violation;
}

const Verdict& VerdictCache::verdict(const std::vector<Fix>& fixes, Protocol protocol) {
  const Variant variant{fixes, {}, protocol};
  const auto [place, is_new] = known_.try_emplace(to_string(variant));
  if (is_new) {
    place->second.exhausted = true;
    for (const System& system : small_systems(protocol)) {
      if (fits(variant, system)) merge(place->second, explore(variant, system));
    }
  }
  return place->second;
}

}  // namespace fanin::model::safety
