// A full calibration of one cluster, held-out errors included, as the committed profile is made.
#include <benchmark/benchmark.h>

#include <string>

#include "fanin/calibrate/calibration.hpp"

namespace {

void calibrate_cluster(benchmark::State& state) {
  const std::string source = FANIN_SOURCE_DIR;
  const std::string seed = source + "/experiments/recorded/seed/";
  const auto records = fanin::calibrate::read_records({seed + "latency.jsonl"}).records;
  const auto timelines =
      fanin::calibrate::read_timelines({seed + "cross_node_kernel_durations.jsonl"}).timelines;
  const auto plan = fanin::calibrate::FitPlan::of(
      fanin::hw::read_profile(source + "/hw/profiles/h100-4x-cx7-ndr400.json"));
  const auto simulator = fanin::calibrate::simulator_predictor();
  for (auto _ : state) {
    benchmark::DoNotOptimize(fanin::calibrate::calibrate(records, timelines, plan, simulator));
  }
}
BENCHMARK(calibrate_cluster)->Unit(benchmark::kSecond);

}  // namespace
