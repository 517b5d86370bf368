#include <algorithm>
#include <cmath>
#include <optional>

#include "fanin/calibrate/calibration_next.hpp"
#include "fanin/hw/error.hpp"
#include "parallel.hpp"

namespace fanin::calibrate {
namespace {

struct Pair {
  std::size_t first;
  std::size_t second;
  double weight;
  double distance2 = 0.0;  // by the runs chosen so far
};

double distance2(double a, double b, double noise_pct) {
  const double away = 100.0 * (a - b) / (0.5 * (a + b)) / (noise_pct * std::sqrt(2.0));
  return away * away;
}

}  // namespace

std::vector<NextMeasurement> next_measurements(const hw::Profile& profile,
                                               const std::vector<model::Exchange>& candidates,
                                               const Predictor& predictor, std::size_t count,
                                               double noise_pct, int threads) {
  if (profile.ensemble.size() < 2) {
    throw InputError("profile " + profile.name,
                     "has no ensemble whose members a measurement could tell apart",
                     "a calibrated profile with several members");
  }
  const std::size_t members = profile.ensemble.size();
  std::vector<hw::Profile> machines;
  for (std::size_t m = 0; m < members; ++m) machines.push_back(profile.member(m));
  std::vector<std::optional<NextMeasurement>> runs(candidates.size());
  parallel_for(candidates.size(), threads, [&](std::size_t i) {
    NextMeasurement run{candidates[i], {}, 0.0};
    try {
      for (const hw::Profile& machine : machines) {
        run.predicted_us.push_back(predictor(candidates[i], machine).exchange_us);
      }
    } catch (const InputError&) {
      return;
    }
    runs[i] = std::move(run);
  });
  std::vector<Pair> pairs;
  double total = 0.0;
  for (std::size_t a = 0; a < members; ++a) {
    for (std::size_t b = a + 1; b < members; ++b) {
      pairs.push_back({a, b, profile.ensemble[a].weight * profile.ensemble[b].weight});
      total += pairs.back().weight;
    }
  }
  std::vector<NextMeasurement> chosen;
  while (chosen.size() < count) {
    std::size_t best = runs.size();
    double most = 0.0;
    for (std::size_t i = 0; i < runs.size(); ++i) {
      if (!runs[i]) continue;
      double gain = 0.0;
      for (const Pair& pair : pairs) {
        const double more = distance2(runs[i]->predicted_us[pair.first],
                                      runs[i]->predicted_us[pair.second], noise_pct);
        gain +=
            pair.weight / total * std::exp(-pair.distance2 / 2.0) * (1.0 - std::exp(-more / 2.0));
      }
      if (gain > most) {
        most = gain;
        best = i;
      }
    }
    if (best == runs.size()) break;
    runs[best]->gain = most;
    for (Pair& pair : pairs) {
      pair.distance2 += distance2(runs[best]->predicted_us[pair.first],
                                  runs[best]->predicted_us[pair.second], noise_pct);
    }
    chosen.push_back(std::move(*runs[best]));
    runs[best].reset();
  }
  return chosen;
}

}  // namespace fanin::calibrate
