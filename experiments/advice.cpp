#include "advice.hpp"

#include <algorithm>
#include <cmath>

#include "table.hpp"

namespace fanin::experiments {
namespace {

/// Times closer than this share are equal: rounding of a flat law.
constexpr double kEqual = 1e-9;

void add_reasons(Advice& advice, double tolerance_pct) {
  const AdviceRow& fastest = advice.rows[advice.fastest];
  const AdviceRow& thrifty = advice.rows[advice.thrifty];
  if (advice.at_edge && advice.rows.size() > 1) {
    advice.reasons.push_back("The fastest sits at the edge of the candidates: " +
                             std::string(advice.fastest == 0 ? "fewer" : "more") +
                             " SMs may be faster still; measure there.");
  }
  if (thrifty.transport_sms < fastest.transport_sms) {
    advice.reasons.push_back("Thrifty saves " +
                             std::to_string(fastest.transport_sms - thrifty.transport_sms) +
                             " SMs for " + fixed(100.0 * (thrifty.us / fastest.us - 1.0), 2) +
                             "% more time (tolerance " + fixed(tolerance_pct, 2) + "%).");
  }
  if (!fastest.bound_by.empty()) {
    advice.reasons.push_back("At the fastest the time is set by " + fastest.bound_by + ".");
  }
  if (!fastest.outside.empty()) {
    advice.reasons.emplace_back("The fastest is extrapolated: no data there.");
  }
}

}  // namespace

Advice advise(std::vector<AdviceRow> rows, double tolerance_pct) {
  std::sort(rows.begin(), rows.end(), [](const AdviceRow& a, const AdviceRow& b) {
    return a.transport_sms < b.transport_sms;
  });
  Advice advice;
  advice.rows = std::move(rows);
  for (std::size_t i = 0; i < advice.rows.size(); ++i) {
    const AdviceRow& row = advice.rows[i];
    if (row.us < advice.rows[advice.fastest].us * (1.0 - kEqual)) advice.fastest = i;
    if (!std::isfinite(row.both_us)) continue;
    if (!advice.beside_compute ||
        row.both_us < advice.rows[*advice.beside_compute].both_us * (1.0 - kEqual)) {
      advice.beside_compute = i;
    }
  }
  const double limit = advice.rows[advice.fastest].us * (1.0 + 1e-2 * tolerance_pct);
  while (advice.rows[advice.thrifty].us > limit) ++advice.thrifty;
  advice.at_edge = advice.fastest == 0 || advice.fastest + 1 == advice.rows.size();
  add_reasons(advice, tolerance_pct);
  return advice;
}

}  // namespace fanin::experiments
