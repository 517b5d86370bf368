#include "fix_study.hpp"

#include <algorithm>
#include <cmath>

#include "explain.hpp"
#include "fanin/hw/error.hpp"
#include "fanin/model/fixes.hpp"
#include "fix_sets.hpp"
#include "prediction.hpp"
#include "table.hpp"

namespace fanin::experiments {
namespace {

using model::Exchange;
using model::Fix;

double period_us(Exchange exchange, const hw::Profile& profile, const std::vector<Fix>& fixes) {
  exchange.fixes = fixes;
  model::SimulationOptions options;
  options.explain = false;
  return model::simulate(exchange, profile, options).exchange.us();
}

hw::Profile with(hw::Profile profile, const char* name, double value) {
  hw::Parameter& parameter = profile.parameters[name];
  parameter.unit = std::string(hw::find_parameter(name)->unit);
  parameter.value = value;
  return profile;
}

bool unmeasured(const hw::Profile& profile, const char* name) {
  const auto stated = profile.parameters.find(name);
  return stated == profile.parameters.end() || stated->second.source == hw::Source::literature;
}

std::map<std::string, std::map<std::string, std::int64_t>> removed(
    const model::SimulationResult& baseline, const model::SimulationResult& fixed) {
  std::map<std::string, std::map<std::string, std::int64_t>> difference;
  for (const auto& [resource, counts] : baseline.operations) {
    for (const auto& [kind, count] : counts) difference[resource][kind] += count;
  }
  for (const auto& [resource, counts] : fixed.operations) {
    for (const auto& [kind, count] : counts) difference[resource][kind] -= count;
  }
  for (auto& [resource, counts] : difference) {
    std::erase_if(counts, [](const auto& entry) { return entry.second == 0; });
  }
  std::erase_if(difference, [](const auto& entry) { return entry.second.empty(); });
  return difference;
}

std::string largest_bound(const Exchange& exchange, const hw::Profile& profile,
                          const model::SimulationResult& result) {
  const std::vector<Bound> bounds = bounds_of(exchange, profile, result);
  return bounds.empty() ? "" : bounds.front().resource;
}

/// Why the simulator's saving is not the authors': what the baseline's critical path holds of what
/// the fix relieves.
std::string reason(const FixRow& row, const model::SimulationResult& baseline) {
  if (!row.authors_us || std::abs(*row.authors_us - row.saving_us) < 1.0) return {};
  double relieved = 0.0;
  std::string names;
  for (const Fix& fix : row.fixes) {
    for (const std::string_view resource : model::fix_info(fix.number).relieves) {
      for (const model::CriticalShare& share : baseline.critical_path) {
        if (share.resource == resource) relieved += share.time.us();
      }
      names += (names.empty() ? "" : ", ") + std::string(resource);
    }
  }
  return "the baseline's critical path holds " + fixed(relieved, 1) + " us of what it relieves (" +
         names + "); " + row.bound + " bounds the fixed exchange";
}

/// Larger saving first; among equals to 10 ns the fewer fixes.
bool better(const std::pair<double, std::vector<Fix>>& a,
            const std::pair<double, std::vector<Fix>>& b) {
  if (std::abs(a.first - b.first) > 0.01) return a.first > b.first;
  return a.second.size() < b.second.size();
}

std::optional<FixRow> best_combination(const Exchange& exchange, const hw::Profile& profile) {
  const hw::Profile point = heaviest(profile);
  const double baseline = period_us(exchange, point, {});
  std::optional<std::pair<double, std::vector<Fix>>> best;
  const auto consider = [&](std::vector<Fix> fixes) {
    std::pair<double, std::vector<Fix>> found{baseline - period_us(exchange, point, fixes),
                                              std::move(fixes)};
    if (!best || better(found, *best)) best = std::move(found);
  };
  for (std::vector<Fix>& fixes : combinations(exchange)) consider(std::move(fixes));
  if (!best) return std::nullopt;
  // Twice, for fewer channels and then the form that suits them.
  for (int round = 0; round < 2; ++round) {
    for (std::vector<Fix>& fixes : neighbours(exchange, best->second)) consider(std::move(fixes));
  }
  return study_fix(exchange, profile, best->second);
}

}  // namespace

std::vector<std::pair<hw::Profile, double>> profiles_allowed(const hw::Profile& profile,
                                                             const std::vector<Fix>& fixes) {
  std::vector<std::pair<hw::Profile, double>> allowed;
  if (profile.ensemble.empty()) allowed.emplace_back(profile, 1.0);
  for (std::size_t i = 0; i < profile.ensemble.size(); ++i) {
    allowed.emplace_back(profile.member(i), profile.ensemble[i].weight);
  }
  const auto spread = [&](const char* share, std::initializer_list<double> ends) {
    if (!unmeasured(profile, share)) return;
    std::vector<std::pair<hw::Profile, double>> wider;
    for (const auto& [member, weight] : allowed) {
      for (const double end : ends) {
        wider.emplace_back(with(member, share, end), weight / static_cast<double>(ends.size()));
      }
    }
    allowed = std::move(wider);
  };
  if (has(fixes, 5)) spread("nic.requester.doorbell_share", {0.0, 0.5, 1.0});
  if (has(fixes, 9)) spread("nic.responder.inline_share", {0.0, 0.5, 1.0});
  return allowed;
}

FixRow study_fix(const Exchange& exchange, const hw::Profile& profile,
                 const std::vector<Fix>& fixes) {
  const hw::Profile point = heaviest(profile);
  Exchange base = exchange;
  base.fixes.clear();
  Exchange changed = exchange;
  changed.fixes = fixes;
  const model::SimulationResult before = model::simulate(base, point);
  const model::SimulationResult after = model::simulate(changed, point);
  FixRow row;
  row.fix = model::fixes_to_string(fixes);
  row.fixes = fixes;
  row.exchange_us = after.exchange.us();
  row.saving_us = (before.exchange - after.exchange).us();
  row.operations_removed = removed(before, after);
  row.bound = largest_bound(changed, point, after);
  for (const Fix& fix : fixes) {
    row.wire_visible = row.wire_visible || model::fix_info(fix.number).wire_visible;
    if (row.scope == model::FixScope::any) row.scope = model::fix_info(fix.number).scope;
  }
  std::vector<std::pair<double, double>> savings;
  for (const auto& [member, weight] : profiles_allowed(profile, fixes)) {
    savings.emplace_back(period_us(exchange, member, {}) - period_us(exchange, member, fixes),
                         weight);
  }
  row.saving_ci95 =
      weighted_interval(savings).value_or(std::array<double, 2>{row.saving_us, row.saving_us});
  row.authors_us = authors_saving(exchange, fixes);
  row.why = reason(row, before);
  return row;
}

FixStudy study_fixes(const Exchange& exchange, const hw::Profile& profile,
                     const std::vector<std::vector<Fix>>& only) {
  FixStudy study;
  const hw::Profile point = heaviest(profile);
  Exchange base = exchange;
  base.fixes.clear();
  const model::SimulationResult before = model::simulate(base, point);
  study.baseline_us = before.exchange.us();
  study.baseline_bound = largest_bound(base, point, before);
  for (const std::vector<Fix>& fixes : only.empty() ? possible_fixes(exchange) : only) {
    const std::vector<std::string> problems = model::fix_problems(exchange, fixes);
    if (!problems.empty()) throw InputError("--fix", problems.front());
    study.rows.push_back(study_fix(exchange, profile, fixes));
  }
  if (only.empty()) {
    study.refused = refused_fixes(exchange);
    study.best = best_combination(exchange, profile);
  }
  return study;
}

}  // namespace fanin::experiments
