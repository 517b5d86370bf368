// Names of variants, and the rules that they stand for.
#include <algorithm>
#include <string>
#include <utility>
#include <vector>

#include "fanin/hw/error.hpp"
#include "fanin/model/fixes.hpp"
#include "rules.hpp"

namespace fanin::model::safety {
namespace {

std::vector<WrongVariant> wrong_variants() {
  return {without_designated_release(), tails_cleared_after_combine(),
          merged_finish_on_context_0(), inline_finish_on_used_channel(),
          reuse_after_another_reduce(), reuse_after_next_reduce(),
          relaxed_ordering(),           early_finish_before_clear(),
          arrival_means_rows(),         merged_dispatch_finish(),
          without_entry_barrier(),      symmetric_without_release()};
}

WrongVariant wrong_variant(const std::string& name) {
  std::string known;
  for (WrongVariant& variant : wrong_variants()) {
    if (variant.name == name) return std::move(variant);
    known += (known.empty() ? "" : ", ") + variant.name;
  }
  throw InputError("wrong variant", "'" + name + "' is none", known);
}

/// What the catalogue of fixes needs to know of a system.
Exchange exchange_of(const System& system) {
  Exchange exchange;
  exchange.protocol = system.protocol;
  exchange.gpus_per_domain = system.gpus_per_domain;
  exchange.ffn_ranks = system.ffn_domains * system.gpus_per_domain;
  exchange.attention_ranks = system.sources * system.gpus_per_domain;
  exchange.transport_sms = system.transport_sms;
  exchange.channels_per_sm = system.channels_per_sm;
  exchange.tail_interval = system.tail_interval;
  return exchange;
}

/// The explorer's systems have a handful of channels, so fix 3 halves them, whatever it asks for.
int channels_of(const System& system, const std::vector<Fix>& fixes) {
  const bool fewer =
      std::any_of(fixes.begin(), fixes.end(), [](const Fix& fix) { return fix.number == 3; });
  return fewer ? std::max(1, system.channels() / 2) : system.channels();
}

}  // namespace

bool fits(const Variant& variant, const System& system) {
  const std::vector<Fix> fixes =
      variant.wrong.empty() ? variant.fixes : wrong_variant(variant.wrong).fixes;
  return protocol_of(variant) == system.protocol &&
         fix_problems(exchange_of(system), fixes).empty();
}

Rules rules_of(const Variant& variant, const System& system) {
  if (protocol_of(variant) != system.protocol) {
    throw InputError("protocol", to_string(variant) + " on a system of the other protocol",
                     std::string(to_string(protocol_of(variant))));
  }
  std::vector<Fix> fixes = variant.fixes;
  void (*change)(Rules&) = nullptr;
  if (!variant.wrong.empty()) {
    if (!variant.fixes.empty()) {
      throw InputError("wrong variant", "it cannot be combined with fixes", "one or the other");
    }
    WrongVariant wrong = wrong_variant(variant.wrong);
    fixes = std::move(wrong.fixes);
    change = wrong.change;
  }
  Exchange exchange = exchange_of(system);
  exchange.fixes = fixes;
  Rules rules;
  rules.fixed = model::rules_of(exchange);
  rules.channels = channels_of(system, fixes);
  if (change != nullptr) change(rules);
  return rules;
}

Protocol protocol_of(const Variant& variant) {
  return variant.wrong.empty() ? variant.protocol : wrong_variant(variant.wrong).protocol;
}

std::string to_string(const Variant& variant) {
  if (!variant.wrong.empty()) return variant.wrong;
  const std::string fixes = variant.fixes.empty() ? "baseline" : fixes_to_string(variant.fixes);
  return variant.protocol == Protocol::role ? fixes : "symmetric " + fixes;
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
