#include "advice.hpp"

#include <algorithm>
#include <cmath>
#include <cstdio>

#include "table.hpp"

namespace fanin::experiments {
namespace {

/// Times closer than this share are equal: rounding of a flat law.
constexpr double kEqual = 1e-9;

Json row_json(const AdviceRow& row) {
  return {{"transport_sms", row.transport_sms},
          {"us", row.us},
          {"ci95", row.ci95},
          {"extrapolated", !row.outside.empty()}};
}

std::string described(const AdviceRow& row) {
  return std::to_string(row.transport_sms) + " SMs, " + fixed(row.us, 2) + " us" +
         (std::isfinite(row.ci95[0])
              ? " [" + fixed(row.ci95[0], 2) + ", " + fixed(row.ci95[1], 2) + "]"
              : "");
}

}  // namespace

Advice advise(std::vector<AdviceRow> rows, double tolerance_pct) {
  std::sort(rows.begin(), rows.end(), [](const AdviceRow& a, const AdviceRow& b) {
    return a.transport_sms < b.transport_sms;
  });
  Advice advice;
  advice.rows = std::move(rows);
  for (std::size_t i = 1; i < advice.rows.size(); ++i) {
    if (advice.rows[i].us < advice.rows[advice.fastest].us * (1.0 - kEqual)) advice.fastest = i;
  }
  const double limit = advice.rows[advice.fastest].us * (1.0 + 1e-2 * tolerance_pct);
  while (advice.rows[advice.thrifty].us > limit) ++advice.thrifty;
  advice.at_edge = advice.fastest == 0 || advice.fastest + 1 == advice.rows.size();
  return advice;
}

Json to_json(const Advice& advice) {
  Json json{{"fastest", row_json(advice.rows[advice.fastest])},
            {"thrifty", row_json(advice.rows[advice.thrifty])},
            {"at_edge", advice.at_edge},
            {"reasons", advice.reasons},
            {"rows", Json::array()}};
  for (const AdviceRow& row : advice.rows) json["rows"].push_back(row_json(row));
  return json;
}

void print(const Advice& advice, const std::string& predictor) {
  std::printf("predicted by %s\n\n", predictor.c_str());
  Table table({"transport SMs", "us", "95% interval", ""}, "rrll");
  for (std::size_t i = 0; i < advice.rows.size(); ++i) {
    const AdviceRow& row = advice.rows[i];
    std::string mark;
    if (i == advice.fastest) mark = "fastest";
    if (i == advice.thrifty) mark += mark.empty() ? "thrifty" : ", thrifty";
    if (!row.outside.empty()) {
      std::string fields;
      for (const std::string& field : row.outside) fields += (fields.empty() ? "" : " ") + field;
      mark += (mark.empty() ? "" : ", ") + std::string("extrapolated (") + fields + ")";
    }
    table.row({std::to_string(row.transport_sms), fixed(row.us, 2),
               std::isfinite(row.ci95[0])
                   ? "[" + fixed(row.ci95[0], 2) + ", " + fixed(row.ci95[1], 2) + "]"
                   : "",
               mark});
  }
  table.print();
  std::printf("\nfastest: %s\nthrifty: %s\n", described(advice.rows[advice.fastest]).c_str(),
              described(advice.rows[advice.thrifty]).c_str());
  for (const std::string& reason : advice.reasons) std::printf("%s\n", reason.c_str());
}

}  // namespace fanin::experiments
