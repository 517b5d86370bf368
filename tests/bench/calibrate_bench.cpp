// A full calibration of one cluster, held-out errors included, as the committed profile is made.
#include <benchmark/benchmark.h>

#include <string>

#include "fanin/calibrate/calibration.hpp"
#include "fanin_paths.hpp"

namespace {

void calibrate_cluster(benchmark::State& state) {
  const std::string source = FANIN_SOURCE_DIR;
  const std::string seed = source + "/experiments/recorded/seed/";
  const auto records = fanin::calibrate::read_records({seed + "latency.jsonl"}).records;
  const auto plan = fanin::calibrate::FitPlan::of(
      fanin::hw::read_profile(source + "/hw/profiles/priors/h100-4x-cx7-ndr400.json"),
      {{"hybrid.symmetric_constant"}, {}, {}});
  const auto simulator = fanin::calibrate::simulator_predictor();
  fanin::calibrate::CalibrationOptions options;
  options.starts = 3;
  options.iterations = 8;
  for (auto _ : state) {
    benchmark::DoNotOptimize(fanin::calibrate::calibrate(records, {}, plan, simulator, options));
  }
}
BENCHMARK(calibrate_cluster)->Unit(benchmark::kSecond);

}  // namespace
