// Rows made from a law, for tests that know the truth.
#pragma once

#include <cmath>
#include <random>
#include <string>
#include <vector>

#include "fanin/calibrate/law_rows.hpp"
#include "fanin/model/law_family.hpp"

namespace fanin::test {

/// Every combination of SMs and sources at one token count, timed by `law`, with normal relative
/// noise of `noise` (0: exact).
inline calibrate::LawRows law_rows_of(const model::Law& law, const std::vector<double>& values,
                                      const std::vector<double>& sms,
                                      const std::vector<double>& sources,
                                      const std::vector<double>& tokens, double noise = 0.0,
                                      std::uint64_t seed = 1) {
  calibrate::LawRows rows;
  std::mt19937_64 random(seed);
  std::normal_distribution<double> normal;
  for (const double t : tokens) {
    for (const double s : sources) {
      for (const double n : sms) {
        model::LawPoint point;
        point.transport_sms = n;
        point.sources = s;
        point.tokens = t;
        point.ranks = 4.0 * (s + 1.0);
        rows.ids.push_back("row" + std::to_string(rows.size()));
        rows.points.push_back(point);
        rows.measured_us.push_back(law.evaluate(values, point) * (1.0 + noise * normal(random)));
        rows.repeats_us.emplace_back();
      }
    }
  }
  return rows;
}

}  // namespace fanin::test
