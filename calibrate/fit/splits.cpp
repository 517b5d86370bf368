#include "splits.hpp"

#include <algorithm>
#include <set>

namespace fanin::calibrate {
namespace {

constexpr const char* kFold = "without ";

/// "3A1F": Attention to FFN ranks in one domain.
bool has_ratio(const Record& record, int attention, int ffn) {
  return record.exchange.attention_ranks == attention && record.exchange.ffn_ranks == ffn;
}

bool is_base(const Record& record) {
  const model::Exchange& e = record.exchange;
  return e.variant == model::Variant::none && e.exit == model::ExitMode::per_cta &&
         !e.collect_view && e.gemm_solo_us == 0.0;
}

/// A split that fits whatever it does not hold out.
Split without(const std::string& name, const std::function<bool(const Record&)>& held_out) {
  return {name, [held_out](const Record& record) {
            return held_out(record) ? Part::held_out : Part::fitted;
          }};
}

bool many_sources(const Record& record) {
  return record.exchange.path != model::Path::nvlink && record.exchange.sources() >= 3;
}

/// As the laws are judged: role exchanges between domains, one token.
bool is_one_token(const Record& record) {
  const model::Exchange& e = record.exchange;
  return e.tokens == 1 && e.path == model::Path::hybrid && e.protocol == model::Protocol::role;
}

/// The rows that the laws are fitted to: one day's sweep over transport SMs a number of sources.
/// Other sets repeat some of its configurations on other days.
bool in_sweep(const Record& record) {
  return is_one_token(record) && record.set.find("_sm_sweep_") != std::string::npos;
}

}  // namespace

std::vector<Split> splits_of(const std::vector<Record>& records) {
  std::set<std::string> sets;
  for (const Record& record : records) sets.insert(record.set);
  std::vector<Split> all;
  for (const std::string& set : sets) {
    all.push_back(without(kFold + set, [set](const Record& record) { return record.set == set; }));
  }
  all.push_back(without("S=3 from S<=2", many_sources));
  all.push_back({"T=1: S=3 from S<=2", [](const Record& r) {
                   if (!many_sources(r)) return Part::fitted;
                   return is_one_token(r) ? Part::held_out : Part::neither;
                 }});
  all.push_back({"T=1: S=3 from S<=2 at T=1", [](const Record& r) {
                   if (!is_one_token(r)) return Part::neither;
                   return many_sources(r) ? Part::held_out : Part::fitted;
                 }});
  all.push_back({"T=1 sweep alone, in sample",
                 [](const Record& r) { return in_sweep(r) ? Part::both : Part::neither; }});
  all.push_back({"T=1 sweep alone: S=3 from S<=2", [](const Record& r) {
                   if (!in_sweep(r)) return Part::neither;
                   return many_sources(r) ? Part::held_out : Part::fitted;
                 }});
  all.push_back(
      without("T>=128 from T<=32", [](const Record& r) { return r.exchange.tokens >= 128; }));
  all.push_back(
      without("48 SMs from <=32", [](const Record& r) { return r.exchange.transport_sms >= 48; }));
  all.push_back(without("symmetric from role", [](const Record& r) {
    return r.exchange.protocol == model::Protocol::symmetric;
  }));
  all.push_back(without("3A1F from 2A2F", [](const Record& r) { return has_ratio(r, 3, 1); }));
  all.push_back(without("variants from base rows", [](const Record& r) { return !is_base(r); }));
  std::vector<Split> kept;
  for (const Split& split : all) {
    const auto has = [&](bool (*is)(Part)) {
      return std::any_of(records.begin(), records.end(),
                         [&](const Record& record) { return is(split.part_of(record)); });
    };
    if (has(is_judged) && has(is_fitted)) kept.push_back(split);
  }
  return kept;
}

bool is_fold(const Split& split) { return split.name.rfind(kFold, 0) == 0; }

}  // namespace fanin::calibrate
