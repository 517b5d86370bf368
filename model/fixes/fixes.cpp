#include <algorithm>
#include <array>
#include <charconv>

#include "fanin/hw/error.hpp"
#include "fix.hpp"

namespace fanin::model {
namespace {

const FixSpec& spec_of(int number) {
  static const std::array<const FixSpec*, 9> specs = {&early_empty_release(),
                                                      &skip_zero_count_notify(),
                                                      &fewer_channels(),
                                                      &rotate_placement(),
                                                      &batch_empty_signals(),
                                                      &readiness_aware_pick(),
                                                      &elide_empty_combine_signals(),
                                                      &count_first_with_occupancy(),
                                                      &inline_write_finishes()};
  return *specs.at(static_cast<std::size_t>(number - 1));
}

std::string options_text(const FixInfo& info) {
  std::string text;
  for (const FixOption& option : info.options) {
    text +=
        (text.empty() ? "" : ", ") + std::string(option.name) + " = " + std::string(option.values);
  }
  return text.empty() ? "no option" : text;
}

}  // namespace

const FixInfo& fix_info(int number) { return spec_of(number).info; }

std::string option_of(const Fix& fix, const FixInfo& info, std::string_view name) {
  const auto given = fix.options.find(std::string(name));
  if (given != fix.options.end()) return given->second;
  const auto known = std::find_if(info.options.begin(), info.options.end(),
                                  [&](const FixOption& option) { return option.name == name; });
  return std::string(known->standard);
}

std::string check_number(const Fix& fix, const FixInfo& info, std::string_view name, int low,
                         int high) {
  const std::string text = option_of(fix, info, name);
  int number = 0;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), number);
  if (error == std::errc{} && end == text.data() + text.size() && number >= low && number <= high)
    return {};
  return std::string(name) + "=" + text + "; expected a whole number from " + std::to_string(low) +
         " to " + std::to_string(high);
}

std::vector<std::string> fix_problems(const Exchange& exchange, const std::vector<Fix>& fixes) {
  std::vector<std::string> problems;
  for (const Fix& fix : fixes) {
    const std::string where = "fix " + std::to_string(fix.number) + ": ";
    if (fix.number < 1 || fix.number > 9) {
      problems.push_back(where + "expected 1 to 9");
      continue;
    }
    const FixSpec& spec = spec_of(fix.number);
    bool known = true;
    for (const auto& given : fix.options) {
      const std::string& name = given.first;
      const bool has = std::any_of(spec.info.options.begin(), spec.info.options.end(),
                                   [&](const FixOption& option) { return option.name == name; });
      if (!has)
        problems.push_back(where + "has no option '" + name + "'; expected " +
                           options_text(spec.info));
      known = known && has;
    }
    if (known) {
      const std::string wrong = spec.check(fix, exchange);
      if (!wrong.empty()) problems.push_back(where + wrong);
    }
    if (spec.info.roles_only && exchange.protocol != Protocol::role) {
      problems.push_back(where +
                         "symmetric ranks have counts of their own; expected protocol role");
    }
    if (exchange.path != Path::hybrid && fix.number != 3) {
      problems.push_back(where + "changes the channels between domains; expected path hybrid");
    }
    for (const FixConflict& conflict : spec.info.conflicts) {
      const bool both = std::any_of(fixes.begin(), fixes.end(), [&](const Fix& other) {
        return other.number == conflict.other;
      });
      if (both && conflict.other > fix.number) {
        problems.push_back(where + "not together with " + std::to_string(conflict.other) + ": " +
                           std::string(conflict.reason));
      }
    }
  }
  return problems;
}

Rules rules_of(const Exchange& exchange) {
  Rules rules;
  rules.exchange = exchange;
  rules.blocking_pick = exchange.protocol == Protocol::symmetric;
  const std::vector<std::string> problems = fix_problems(exchange, exchange.fixes);
  if (!problems.empty()) {
    std::string all;
    for (const std::string& problem : problems) all += (all.empty() ? "" : "; ") + problem;
    throw InputError("--fix", all);
  }
  // Fewer channels first: others count in channels.
  std::vector<Fix> fixes = exchange.fixes;
  std::stable_sort(fixes.begin(), fixes.end(),
                   [](const Fix& a, const Fix& b) { return (a.number != 3) < (b.number != 3); });
  for (const Fix& fix : fixes) spec_of(fix.number).apply(fix, rules);
  return rules;
}

}  // namespace fanin::model
