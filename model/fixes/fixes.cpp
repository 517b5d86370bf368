#include <algorithm>
#include <array>
#include <charconv>

#include "fanin/hw/error.hpp"
#include "fanin/model/fixes_text.hpp"
#include "fix.hpp"

namespace fanin::model {
namespace {

const FixSpec& spec_of(int number) {
  static const std::array<const FixSpec*, kFixes> specs = {&early_empty_release(),
                                                           &skip_zero_count_notify(),
                                                           &fewer_channels(),
                                                           &rotate_placement(),
                                                           &batch_empty_signals(),
                                                           &readiness_aware_pick(),
                                                           &elide_empty_combine_signals(),
                                                           &count_first_with_occupancy(),
                                                           &inline_write_finishes(),
                                                           &silence_between_attention(),
                                                           &silence_between_ffn(),
                                                           &silent_combine_to_ffn(),
                                                           &silent_dispatch_to_attention()};
  return *specs.at(static_cast<std::size_t>(number - 1));
}

/// "entry or exit", "both, attention or ffn", "a whole number".
std::string values_text(const FixOption& option) {
  if (option.choices.empty()) return "a whole number";
  std::string text;
  for (std::size_t i = 0; i < option.choices.size(); ++i) {
    if (i > 0) text += i + 1 == option.choices.size() ? " or " : ", ";
    text += option.choices[i];
  }
  return text;
}

std::string options_text(const FixInfo& info) {
  std::string text;
  for (const FixOption& option : info.options)
    text += (text.empty() ? "" : ", ") + std::string(option.name) + " = " + values_text(option);
  return text.empty() ? "no option" : text;
}

/// Unknown names and values that are no choice.
std::vector<std::string> option_problems(const FixInfo& info, const Fix& fix) {
  std::vector<std::string> problems;
  for (const auto& given : fix.options) {
    const std::string& name = given.first;
    const std::string& value = given.second;
    const auto known = std::find_if(info.options.begin(), info.options.end(),
                                    [&](const FixOption& option) { return option.name == name; });
    if (known == info.options.end()) {
      problems.push_back("has no option '" + name + "'; expected " + options_text(info));
      continue;
    }
    const auto& choices = known->choices;
    if (!choices.empty() && std::find(choices.begin(), choices.end(), value) == choices.end())
      problems.push_back(name + "=" + value + "; expected " + values_text(*known));
  }
  return problems;
}

std::string scope_problem(const FixInfo& info, const Exchange& exchange) {
  if (info.scope == FixScope::role && exchange.protocol != Protocol::role)
    return "symmetric ranks have counts of their own; expected protocol role";
  if (info.scope == FixScope::symmetric && exchange.protocol != Protocol::symmetric)
    return "role kernels send no such finish; expected protocol symmetric";
  return {};
}

}  // namespace

const FixInfo& fix_info(int number) { return spec_of(number).info; }

std::string_view to_string(FixScope scope) {
  switch (scope) {
    case FixScope::any: return "any";
    case FixScope::role: return "role";
    case FixScope::symmetric: return "symmetric";
  }
  return "";
}

std::vector<Fix> single_fixes() {
  std::vector<Fix> all;
  for (int number = 1; number <= kFixes; ++number) {
    for (const std::string_view form : fix_info(number).forms)
      all.push_back(parse_fixes(form).front());
  }
  return all;
}

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
    if (fix.number < 1 || fix.number > kFixes) {
      problems.push_back(where + "expected 1 to " + std::to_string(kFixes));
      continue;
    }
    const FixSpec& spec = spec_of(fix.number);
    std::vector<std::string> wrong = option_problems(spec.info, fix);
    if (wrong.empty() && spec.check != nullptr) wrong = {spec.check(fix, exchange)};
    wrong.push_back(scope_problem(spec.info, exchange));
    for (const std::string& problem : wrong) {
      if (!problem.empty()) problems.push_back(where + problem);
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
