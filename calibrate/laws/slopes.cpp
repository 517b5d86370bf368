#include <map>

#include "fanin/calibrate/law_slopes.hpp"

namespace fanin::calibrate {
namespace {

/// Least squares slope of y over x; both have one value a row of `chosen`.
template <typename X, typename Y>
double slope(const std::vector<std::size_t>& chosen, X x, Y y) {
  double mean_x = 0.0;
  double mean_y = 0.0;
  const auto count = static_cast<double>(chosen.size());
  for (const std::size_t i : chosen) {
    mean_x += x(i) / count;
    mean_y += y(i) / count;
  }
  double xx = 0.0;
  double xy = 0.0;
  for (const std::size_t i : chosen) {
    xx += (x(i) - mean_x) * (x(i) - mean_x);
    xy += (x(i) - mean_x) * (y(i) - mean_y);
  }
  return xx > 0.0 ? xy / xx : 0.0;
}

}  // namespace

std::vector<Slope> channel_slopes(const LawRows& rows, const std::vector<const LawFit*>& fits) {
  std::map<std::pair<double, double>, std::vector<std::size_t>> groups;
  for (std::size_t i = 0; i < rows.size(); ++i) {
    groups[{rows.points[i].sources, rows.points[i].tokens}].push_back(i);
  }
  const auto channels = [&](std::size_t i) { return rows.points[i].channels(); };
  std::vector<Slope> slopes;
  for (const auto& [key, chosen] : groups) {
    bool varies = false;
    for (const std::size_t i : chosen) varies |= channels(i) != channels(chosen.front());
    if (!varies) continue;
    Slope entry{key.first, key.second, chosen.size(), 0.0, {}};
    entry.measured_ns =
        1e3 * slope(chosen, channels, [&](std::size_t i) { return rows.measured_us[i]; });
    for (const LawFit* fit : fits) {
      entry.predicted_ns.push_back(
          1e3 * slope(chosen, channels, [&](std::size_t i) { return fit->predicted_us[i]; }));
    }
    slopes.push_back(std::move(entry));
  }
  return slopes;
}

}  // namespace fanin::calibrate
