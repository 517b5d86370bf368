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

}  // namespace

std::vector<Split> splits_of(const std::vector<Record>& records) {
  std::set<std::string> sets;
  for (const Record& record : records) sets.insert(record.set);
  std::vector<Split> all;
  for (const std::string& set : sets) {
    all.push_back({kFold + set, [set](const Record& record) { return record.set == set; }});
  }
  all.push_back({"S=3 from S<=2", [](const Record& r) {
                   return r.exchange.path != model::Path::nvlink && r.exchange.sources() >= 3;
                 }});
  all.push_back({"T>=128 from T<=32", [](const Record& r) { return r.exchange.tokens >= 128; }});
  all.push_back(
      {"48 SMs from <=32", [](const Record& r) { return r.exchange.transport_sms >= 48; }});
  all.push_back({"symmetric from role", [](const Record& r) {
                   return r.exchange.protocol == model::Protocol::symmetric;
                 }});
  all.push_back({"3A1F from 2A2F", [](const Record& r) { return has_ratio(r, 3, 1); }});
  all.push_back({"variants from base rows", [](const Record& r) { return !is_base(r); }});
  std::vector<Split> kept;
  for (const Split& split : all) {
    const auto held = std::count_if(records.begin(), records.end(), split.held_out);
    if (held > 0 && held < static_cast<std::ptrdiff_t>(records.size())) kept.push_back(split);
  }
  return kept;
}

bool is_fold(const Split& split) { return split.name.rfind(kFold, 0) == 0; }

}  // namespace fanin::calibrate
