#include "prediction.hpp"

#include <algorithm>

namespace fanin::experiments {

hw::Profile heaviest(const hw::Profile& profile) {
  return profile.ensemble.empty() ? profile : profile.member(0);
}

std::optional<std::array<double, 2>> weighted_interval(
    const std::vector<std::pair<double, double>>& value_and_weight) {
  if (value_and_weight.empty()) return std::nullopt;
  std::vector<std::pair<double, double>> sorted = value_and_weight;
  std::sort(sorted.begin(), sorted.end());
  double total = 0.0;
  for (const auto& [value, weight] : sorted) total += weight;
  const auto quantile = [&](double share) {
    double sum = 0.0;
    for (const auto& [value, weight] : sorted) {
      sum += weight;
      if (sum >= share * total) return value;
    }
    return sorted.back().first;
  };
  return std::array<double, 2>{quantile(0.025), quantile(0.975)};
}

Prediction predict(const model::Exchange& exchange, const hw::Profile& profile,
                   const model::SimulationOptions& options) {
  Prediction prediction;
  prediction.result = model::simulate(exchange, heaviest(profile), options);
  std::vector<std::pair<double, double>> periods;
  model::SimulationOptions quick;
  quick.explain = false;
  quick.max_exchanges = options.max_exchanges;
  for (std::size_t i = 0; i < profile.ensemble.size(); ++i) {
    const double us = i == 0 ? prediction.result.exchange.us()
                             : model::simulate(exchange, profile.member(i), quick).exchange.us();
    periods.emplace_back(us, profile.ensemble[i].weight);
  }
  prediction.ci95_us = weighted_interval(periods);
  return prediction;
}

}  // namespace fanin::experiments
