#include <cmath>
#include <cstdio>

#include "advice.hpp"
#include "table.hpp"

namespace fanin::experiments {
namespace {

Json row_json(const AdviceRow& row) {
  Json json{{"transport_sms", row.transport_sms},
            {"us", row.us},
            {"ci95", row.ci95},
            {"ci95_with_model", row.ci95_with_model},
            {"extrapolated", !row.outside.empty()}};
  if (std::isfinite(row.both_us)) json["both_us"] = row.both_us;
  if (!row.bound_by.empty()) json["bound_by"] = row.bound_by;
  return json;
}

std::string interval_of(const std::array<double, 2>& us) {
  if (!std::isfinite(us[0])) return "";
  return "[" + fixed(us[0], 2) + ", " + fixed(us[1], 2) + "]";
}

std::string described(const AdviceRow& row) {
  return std::to_string(row.transport_sms) + " SMs, " + fixed(row.us, 2) + " us " +
         interval_of(row.ci95);
}

std::string marks(const Advice& advice, std::size_t i) {
  std::string text;
  const auto add = [&](const std::string& mark) { text += (text.empty() ? "" : ", ") + mark; };
  if (i == advice.fastest) add("fastest");
  if (i == advice.thrifty) add("thrifty");
  if (advice.beside_compute && i == *advice.beside_compute) add("best beside compute");
  const AdviceRow& row = advice.rows[i];
  if (!row.outside.empty()) {
    std::string fields;
    for (const std::string& field : row.outside) fields += (fields.empty() ? "" : " ") + field;
    add("extrapolated (" + fields + ")");
  }
  return text;
}

}  // namespace

Json to_json(const Advice& advice) {
  Json json{{"fastest", row_json(advice.rows[advice.fastest])},
            {"thrifty", row_json(advice.rows[advice.thrifty])},
            {"at_edge", advice.at_edge},
            {"reasons", advice.reasons},
            {"rows", Json::array()}};
  for (const AdviceRow& row : advice.rows) json["rows"].push_back(row_json(row));
  if (advice.beside_compute) {
    json["beside_compute"] = row_json(advice.rows[*advice.beside_compute]);
  }
  if (advice.stock) {
    json["stock"] = row_json(*advice.stock);
    json["stock"]["loss_pct"] = advice.stock_loss_pct();
  }
  if (advice.recorded) {
    json["recorded"] = {{"transport_sms", advice.recorded->transport_sms},
                        {"us", advice.recorded->us},
                        {"id", advice.recorded->id}};
  }
  return json;
}

void print(const Advice& advice, const std::string& predictor) {
  std::printf("predicted by %s\n\n", predictor.c_str());
  const bool compute = advice.beside_compute.has_value();
  std::vector<std::string> headings{"transport SMs", "us", "95% interval", "with model error"};
  if (compute) headings.emplace_back("with compute us");
  headings.emplace_back("set by");
  headings.emplace_back("");
  Table table(std::move(headings), compute ? "rrllrll" : "rrllll");
  for (std::size_t i = 0; i < advice.rows.size(); ++i) {
    const AdviceRow& row = advice.rows[i];
    std::vector<std::string> cells{std::to_string(row.transport_sms), fixed(row.us, 2),
                                   interval_of(row.ci95), interval_of(row.ci95_with_model)};
    if (compute) cells.push_back(fixed(row.both_us, 2));
    cells.push_back(row.bound_by);
    cells.push_back(marks(advice, i));
    table.row(std::move(cells));
  }
  table.print();
  std::printf("\nfastest: %s\nthrifty: %s\n", described(advice.rows[advice.fastest]).c_str(),
              described(advice.rows[advice.thrifty]).c_str());
  if (compute) {
    const AdviceRow& best = advice.rows[*advice.beside_compute];
    std::printf("best beside compute: %s; both done after %s us\n", described(best).c_str(),
                fixed(best.both_us, 2).c_str());
  }
  if (advice.stock) {
    const double loss = advice.stock_loss_pct();
    std::printf("stock DeepEP V2 would take: %s, %s%% %s than the fastest\n",
                described(*advice.stock).c_str(), fixed(std::abs(loss), 1).c_str(),
                loss < 0.0 ? "faster" : "slower");
  }
  if (advice.recorded) {
    std::printf("fastest measured: %d SMs, %s us (%s)\n", advice.recorded->transport_sms,
                fixed(advice.recorded->us, 2).c_str(), advice.recorded->id.c_str());
  }
  for (const std::string& reason : advice.reasons) std::printf("%s\n", reason.c_str());
}

}  // namespace fanin::experiments
