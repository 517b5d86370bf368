#include <algorithm>
#include <limits>
#include <optional>

#include "advise_sources.hpp"
#include "fitted_domain.hpp"
#include "model_error.hpp"
#include "parallel.hpp"
#include "prediction.hpp"
#include "stock_sms.hpp"

namespace fanin::experiments {
namespace {

/// The resource with the largest share of the critical path.
std::string bound_by(const model::SimulationResult& result) {
  const auto largest = std::max_element(
      result.critical_path.begin(), result.critical_path.end(),
      [](const model::CriticalShare& a, const model::CriticalShare& b) { return a.time < b.time; });
  return largest == result.critical_path.end() ? "" : largest->resource;
}

AdviceRow row_of(const hw::Profile& profile, const FittedDomain& domain, const ModelError& error,
                 int sms, const std::vector<MixPart>& mix) {
  AdviceRow row;
  row.transport_sms = sms;
  row.ci95_with_model = {};
  for (const MixPart& part : mix) {
    ExchangeSettings settings = part.settings;
    settings.set("transport-sms", std::to_string(sms));
    const model::Exchange exchange = settings.exchange();
    const Prediction prediction = predict(exchange, profile);
    for (std::string& field : domain.outside(exchange)) {
      if (std::find(row.outside.begin(), row.outside.end(), field) == row.outside.end())
        row.outside.push_back(std::move(field));
    }
    const double us = prediction.result.exchange.us();
    constexpr double kNone = std::numeric_limits<double>::quiet_NaN();
    constexpr std::array<double, 2> kNoInterval{kNone, kNone};
    const auto interval = prediction.ci95_us.value_or(kNoInterval);
    const auto wide = error.interval(us, prediction.ci95_us).value_or(kNoInterval);
    row.us += part.share * us;
    for (std::size_t side = 0; side < 2; ++side) {
      row.ci95[side] += part.share * interval[side];
      row.ci95_with_model[side] += part.share * wide[side];
    }
    if (row.bound_by.empty()) row.bound_by = bound_by(prediction.result);
    if (const std::optional<model::GemmTimes>& gemm = prediction.result.gemm) {
      const double both = std::max({us, gemm->attention.us(), gemm->ffn.us()});
      row.both_us = part.share * both + (row.both_us > 0.0 ? row.both_us : 0.0);
    }
  }
  return row;
}

bool same_but_sms(const model::Exchange& a, const model::Exchange& b) {
  return a.protocol == b.protocol && a.path == b.path && a.ffn_ranks == b.ffn_ranks &&
         a.attention_ranks == b.attention_ranks && a.gpus_per_domain == b.gpus_per_domain &&
         a.tokens == b.tokens && a.hidden == b.hidden && a.top_k == b.top_k &&
         a.experts == b.experts && a.payload == b.payload &&
         a.channels_per_sm == b.channels_per_sm && a.tail_interval == b.tail_interval &&
         a.exit == b.exit && a.collect_view == b.collect_view &&
         a.combine_flush == b.combine_flush && a.one_gpu == b.one_gpu && a.variant == b.variant &&
         a.gemm_solo_us == b.gemm_solo_us && a.gemm_on == b.gemm_on && a.fixes == b.fixes;
}

std::optional<Measured> fastest_recorded(const std::vector<calibrate::Record>& known_rows,
                                         const hw::Profile& profile,
                                         const model::Exchange& exchange) {
  std::optional<Measured> best;
  for (const calibrate::Record& record : known_rows) {
    const model::Exchange& known = record.exchange;
    if (record.cluster != profile.cluster || !record.data_valid || !record.missing.empty() ||
        !same_but_sms(known, exchange) || known.ffn_combine_sms_used() != known.transport_sms) {
      continue;
    }
    if (!best || record.median_us < best->us) {
      best = Measured{known.transport_sms, record.median_us, record.id};
    }
  }
  return best;
}

}  // namespace

std::vector<int> default_candidates() {
  return {4, 6, 8, 12, 16, 20, 24, 28, 32, 36, 40, 48, 56, 64};
}

Advice advise_from_profile(const hw::Profile& profile, const std::vector<calibrate::Record>& known,
                           const std::vector<MixPart>& mix, const std::vector<int>& candidates,
                           double tolerance_pct) {
  const model::Exchange exchange = mix.front().settings.exchange();
  const FittedDomain domain(profile, known);
  const ModelError error(profile);
  std::vector<int> wanted = candidates;
  wanted.push_back(stock_sms(exchange, profile));
  std::vector<AdviceRow> rows(wanted.size());
  for_each_index(wanted.size(), 0,
                 [&](std::size_t i) { rows[i] = row_of(profile, domain, error, wanted[i], mix); });
  const AdviceRow at_stock = rows.back();
  rows.pop_back();
  Advice advice = advise(std::move(rows), tolerance_pct);
  advice.stock = at_stock;
  if (mix.size() == 1) advice.recorded = fastest_recorded(known, profile, exchange);
  return advice;
}

}  // namespace fanin::experiments
