#include <algorithm>
#include <array>
#include <charconv>
#include <string>
#include <system_error>
#include <utility>
#include <vector>

#include "fanin/hw/error.hpp"
#include "rules.hpp"

namespace fanin::model::safety {
namespace {

using Change = void (*)(Rules&, const Fix&, const System&);

constexpr std::array<Change, 9> fix_changes = {release_empty_channels_early, skip_zero_counts,
                                               use_fewer_channels,           rotate_placement,
                                               batch_empty_signals,          pick_ready_source,
                                               elide_empty_combine_signals,  send_occupancy_first,
                                               write_empty_finishes_inline};

std::vector<WrongVariant> wrong_variants() {
  return {without_designated_release(), tails_cleared_after_combine(),
          merged_finish_on_context_0(), inline_finish_on_used_channel(),
          reuse_after_another_reduce(), reuse_after_next_reduce(),
          relaxed_ordering(),           early_finish_before_clear(),
          arrival_means_rows(),         merged_dispatch_finish()};
}

WrongVariant wrong_variant(const std::string& name) {
  std::string known;
  for (WrongVariant& variant : wrong_variants()) {
    if (variant.name == name) return std::move(variant);
    known += (known.empty() ? "" : ", ") + variant.name;
  }
  throw InputError("wrong variant", "'" + name + "' is none", known);
}

/// In the table's order, so that 9 sees which finishes 7 and 8 have left.
void apply(std::vector<Fix> fixes, Rules& rules, const System& system) {
  std::sort(fixes.begin(), fixes.end(),
            [](const Fix& a, const Fix& b) { return a.number < b.number; });
  for (const Fix& fix : fixes) {
    if (fix.number < 1 || fix.number > static_cast<int>(fix_changes.size())) {
      throw InputError("fix", std::to_string(fix.number) + " is none", "1 to 9");
    }
    fix_changes[fix.number - 1](rules, fix, system);
  }
}

}  // namespace

std::string option(const Fix& fix, const std::string& name, const std::string& otherwise,
                   const std::vector<std::string>& allowed) {
  const std::string where = "fix " + std::to_string(fix.number);
  std::string value = otherwise;
  for (const auto& [given, text] : fix.options) {
    if (given != name) refuse_option(fix, given, name);
    value = text;
  }
  if (std::find(allowed.begin(), allowed.end(), value) == allowed.end()) {
    std::string list;
    for (const std::string& one : allowed) list += (list.empty() ? "" : ", ") + one;
    throw InputError(where + ": " + name, "'" + value + "'", "one of " + list);
  }
  return value;
}

int whole_number(const Fix& fix, const std::string& name, const std::string& value, int low,
                 int high) {
  int number = 0;
  const char* end = value.data() + value.size();
  const auto [stop, error] = std::from_chars(value.data(), end, number);
  if (error == std::errc{} && stop == end && number >= low && number <= high) return number;
  throw InputError("fix " + std::to_string(fix.number) + ": " + name, "'" + value + "'",
                   "a whole number from " + std::to_string(low) + " to " + std::to_string(high));
}

void refuse_option(const Fix& fix, const std::string& name, const std::string& expected) {
  throw InputError("fix " + std::to_string(fix.number), "no option '" + name + "'", expected);
}

void no_options(const Fix& fix) {
  if (!fix.options.empty()) refuse_option(fix, fix.options.begin()->first, "none");
}

Rules rules_of(const Variant& variant, const System& system) {
  Rules rules;
  rules.channels = system.channels();
  if (variant.wrong.empty()) {
    apply(variant.fixes, rules, system);
    return rules;
  }
  if (!variant.fixes.empty()) {
    throw InputError("wrong variant", "it cannot be combined with fixes", "one or the other");
  }
  const WrongVariant wrong = wrong_variant(variant.wrong);
  apply(wrong.fixes, rules, system);
  wrong.change(rules);
  return rules;
}

std::string to_string(const Variant& variant) {
  if (!variant.wrong.empty()) return variant.wrong;
  return variant.fixes.empty() ? "baseline" : fixes_to_string(variant.fixes);
}

std::vector<std::string> wrong_names() {
  std::vector<std::string> names;
  for (const WrongVariant& variant : wrong_variants()) names.push_back(variant.name);
  return names;
}

std::string describe_wrong(const std::string& name) { return wrong_variant(name).what; }

bool expected_safe(const Variant& variant) {
  return variant.wrong.empty() || wrong_variant(variant.wrong).is_safe;
}

}  // namespace fanin::model::safety
