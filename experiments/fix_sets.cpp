#include "fix_sets.hpp"

#include <algorithm>
#include <string>

#include "fanin/model/fixes_text.hpp"

namespace fanin::experiments {

using model::Exchange;
using model::Fix;

bool has(const std::vector<Fix>& fixes, int number) {
  return std::any_of(fixes.begin(), fixes.end(),
                     [&](const Fix& fix) { return fix.number == number; });
}

std::vector<std::vector<Fix>> possible_fixes(const Exchange& exchange) {
  std::vector<std::vector<Fix>> all;
  for (const Fix& fix : model::single_fixes()) {
    if (model::fix_problems(exchange, {fix}).empty()) all.push_back({fix});
  }
  const std::vector<Fix> silent = model::parse_fixes("10+11+12+13");
  if (model::fix_problems(exchange, silent).empty()) all.push_back(silent);
  return all;
}

std::vector<RefusedFixes> refused_fixes(const Exchange& exchange) {
  std::vector<RefusedFixes> refused;
  for (const Fix& fix : model::single_fixes()) {
    const std::vector<std::string> problems = model::fix_problems(exchange, {fix});
    if (problems.empty()) continue;
    // Without "fix N: ".
    const std::string reason = problems.front().substr(problems.front().find(": ") + 2);
    if (refused.empty() || refused.back().reason != reason) refused.push_back({{}, reason});
    refused.back().fixes.push_back(model::fixes_to_string({fix}));
  }
  return refused;
}

std::vector<std::vector<Fix>> combinations(const Exchange& exchange) {
  std::vector<std::vector<Fix>> all;
  constexpr int kFree[] = {1, 2, 4, 5, 6, 7, 8, 9};
  const auto add = [&](const std::vector<Fix>& fixes) {
    if (!fixes.empty() && model::fix_problems(exchange, fixes).empty()) all.push_back(fixes);
  };
  for (unsigned subset = 0; subset < 1U << std::size(kFree); ++subset) {
    std::vector<Fix> fixes;
    for (std::size_t i = 0; i < std::size(kFree); ++i) {
      if ((subset >> i & 1U) != 0) fixes.push_back({kFree[i], {}});
    }
    add(fixes);
    for (int number = 10; number <= model::kFixes; ++number) {
      std::vector<Fix> more = fixes;
      more.push_back({number, {}});
      if (model::fix_problems(exchange, more).empty()) fixes = std::move(more);
    }
    if (!fixes.empty() && fixes.back().number >= 10) add(fixes);
  }
  return all;
}

std::vector<std::vector<Fix>> neighbours(const Exchange& exchange, const std::vector<Fix>& fixes) {
  std::vector<std::vector<Fix>> all;
  const auto add = [&](const std::vector<Fix>& changed) {
    if (!changed.empty() && model::fix_problems(exchange, changed).empty()) all.push_back(changed);
  };
  for (std::size_t i = 0; i < fixes.size(); ++i) {
    std::vector<Fix> without = fixes;
    without.erase(without.begin() + static_cast<std::ptrdiff_t>(i));
    add(without);
    for (const Fix& form : model::single_fixes()) {
      if (form.number != fixes[i].number || form.number == 3) continue;
      std::vector<Fix> changed = fixes;
      changed[i] = form;
      add(changed);
    }
  }
  if (has(fixes, 3)) return all;
  for (int sms = 4; sms < exchange.transport_sms; sms += 4) {
    std::vector<Fix> fewer = fixes;
    fewer.insert(fewer.begin(), Fix{3, {{"sms", std::to_string(sms)}}});
    add(fewer);
  }
  return all;
}

}  // namespace fanin::experiments
