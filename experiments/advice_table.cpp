#include "advice_table.hpp"

#include <algorithm>
#include <cmath>
#include <cstdio>

#include "table.hpp"

namespace fanin::experiments {
namespace {

/// "24: 76.63", a star where it is extrapolated, and the interval where there is one.
std::string cell(const AdviceRow& row) {
  std::string text = std::to_string(row.transport_sms) + (row.outside.empty() ? "" : "*") + ": " +
                     fixed(row.us, 1);
  if (std::isfinite(row.ci95[0]))
    text += " [" + fixed(row.ci95[0], 1) + ", " + fixed(row.ci95[1], 1) + "]";
  return text;
}

template <typename Has>
bool any(const std::vector<AdvisedCase>& cases, const Has& has) {
  return std::any_of(cases.begin(), cases.end(),
                     [&](const AdvisedCase& one) { return has(one.advice); });
}

}  // namespace

Json to_json(const std::vector<AdvisedCase>& cases) {
  Json json{{"cases", Json::array()}};
  for (const AdvisedCase& one : cases) {
    Json entry{{"ratio", one.ratio}, {"tokens", one.tokens}};
    entry.update(to_json(one.advice));
    json["cases"].push_back(std::move(entry));
  }
  return json;
}

void print(const std::vector<AdvisedCase>& cases, const std::string& predictor) {
  const bool compute =
      any(cases, [](const Advice& advice) { return advice.beside_compute.has_value(); });
  const bool recorded =
      any(cases, [](const Advice& advice) { return advice.recorded.has_value(); });
  const bool stock = any(cases, [](const Advice& advice) { return advice.stock.has_value(); });
  std::printf("predicted by %s; SMs: us [95%% interval]; *: outside the fitted rows\n\n",
              predictor.c_str());
  std::vector<std::string> headings{"A:F", "tokens", "fastest", "thrifty"};
  if (compute) headings.emplace_back("beside compute, both done");
  if (recorded) headings.emplace_back("fastest measured");
  if (stock) {
    headings.emplace_back("stock DeepEP V2");
    headings.emplace_back("slower %");
  }
  Table table(std::move(headings), "lrllllll");
  for (const AdvisedCase& one : cases) {
    const Advice& advice = one.advice;
    std::vector<std::string> cells{one.ratio, one.tokens, cell(advice.rows[advice.fastest]),
                                   cell(advice.rows[advice.thrifty])};
    if (compute) {
      cells.emplace_back();
      if (advice.beside_compute) {
        const AdviceRow& best = advice.rows[*advice.beside_compute];
        cells.back() = std::to_string(best.transport_sms) + ": " + fixed(best.both_us, 1);
      }
    }
    if (recorded) {
      cells.emplace_back("-");
      if (advice.recorded) {
        cells.back() = std::to_string(advice.recorded->transport_sms) + ": " +
                       fixed(advice.recorded->us, 1) + " (" + advice.recorded->id + ")";
      }
    }
    if (stock && advice.stock) {
      cells.push_back(cell(*advice.stock));
      cells.push_back(fixed(advice.stock_loss_pct(), 1));
    }
    table.row(std::move(cells));
  }
  table.print();
}

}  // namespace fanin::experiments
