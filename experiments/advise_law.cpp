#include <cmath>

#include "advise_sources.hpp"
#include "fanin/hw/error.hpp"

namespace fanin::experiments {
namespace {

/// Parameters of the branch that decides `point`, with their meaning.
std::string bound_by(const calibrate::LawPredictor& predictor, const model::LawPoint& point) {
  if (predictor.law->linear()) return "";
  const int active = predictor.law->active_branch(predictor.values, point);
  std::string names;
  for (const model::LawTerm& term : predictor.law->terms) {
    if (term.branch != active) continue;
    const model::LawParameter& parameter = predictor.law->parameters[term.parameter];
    names += (names.empty() ? "" : ", ") + std::string(parameter.name) + " (" +
             std::string(parameter.meaning) + ")";
  }
  return names;
}

AdviceRow row_of(const calibrate::LawPredictor& predictor, int sms,
                 const std::vector<MixPart>& mix) {
  AdviceRow row;
  row.transport_sms = sms;
  for (const MixPart& part : mix) {
    const model::Exchange exchange = part.settings.exchange();
    model::LawPoint point;
    point.transport_sms = sms;
    point.channels_per_sm = exchange.channels_per_sm;
    point.sources = exchange.sources();
    point.tokens = exchange.tokens;
    point.tail_interval = exchange.tail_interval;
    const calibrate::LawPrediction prediction = predictor.predict(point);
    row.us += part.share * prediction.us;
    row.ci95[0] += part.share * prediction.ci95[0];
    row.ci95[1] += part.share * prediction.ci95[1];
    if (row.outside.empty()) row.outside = prediction.outside;
    if (row.bound_by.empty()) row.bound_by = bound_by(predictor, point);
  }
  return row;
}

}  // namespace

std::vector<int> candidates_of(const calibrate::LawDomain& domain) {
  const auto range = domain.ranges.find("transport_sms");
  if (range == domain.ranges.end()) {
    throw InputError("--transport-sms", "is missing, and the fitted rows do not state it",
                     "--transport-sms N,…");
  }
  const int low = static_cast<int>(std::lround(range->second.first));
  const int high = static_cast<int>(std::lround(range->second.second));
  std::vector<int> candidates{low};
  for (int n = (low / 4 + 1) * 4; n < high; n += 4) candidates.push_back(n);
  if (high > low) candidates.push_back(high);
  return candidates;
}

Advice advise_from_law(const calibrate::LawPredictor& predictor, const std::vector<MixPart>& mix,
                       const std::vector<int>& candidates, double tolerance_pct) {
  for (const std::string_view field : predictor.law->fields) {
    if (field == "ranks") {
      throw InputError("--law", std::string(predictor.law->name) + " reads ranks, not SMs",
                       "a law over transport_sms");
    }
  }
  std::vector<AdviceRow> rows;
  for (const int sms : candidates) rows.push_back(row_of(predictor, sms, mix));
  return advise(std::move(rows), tolerance_pct);
}

}  // namespace fanin::experiments
