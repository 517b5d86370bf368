// The whole recorded data set predicted, one core: the goal is 0.5 s.
#include <benchmark/benchmark.h>

#include <map>
#include <string>

#include "fanin/calibrate/record.hpp"
#include "fanin/hw/profile.hpp"
#include "fanin/model/simulate.hpp"
#include "fanin_paths.hpp"

namespace {

using namespace fanin;

void recorded_set(benchmark::State& state) {
  const std::vector<calibrate::Record> records =
      calibrate::read_records({FANIN_SOURCE_DIR "/experiments/recorded/seed/latency.jsonl"})
          .records;
  std::map<std::string, hw::Profile> profiles;
  for (const calibrate::Record& record : records) {
    if (!profiles.contains(record.cluster)) {
      hw::Profile profile = hw::find_profile(record.cluster);
      profiles[record.cluster] = profile.ensemble.empty() ? profile : profile.member(0);
    }
  }
  model::SimulationOptions options;
  options.explain = false;
  for (auto _ : state) {
    for (const calibrate::Record& record : records) {
      benchmark::DoNotOptimize(
          model::simulate(record.exchange, profiles.at(record.cluster), options).exchange);
    }
  }
  state.counters["rows"] = static_cast<double>(records.size());
}
BENCHMARK(recorded_set)->Unit(benchmark::kMillisecond);

}  // namespace
