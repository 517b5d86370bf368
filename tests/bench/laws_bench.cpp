// A fit with 1,000 bootstrap draws on the recorded T = 1 rows, one core: the goal is 2 s.
#include <benchmark/benchmark.h>

#include "fanin/calibrate/law_contest.hpp"
#include "fanin/model/law_family.hpp"
#include "fanin_paths.hpp"

namespace {

using namespace fanin::calibrate;

std::vector<Record> fourteen_rows() {
  return Where::parse("set=cross_node_sm_sweep_s1_s2|cross_node_sm_sweep_s3,tokens=1")
      .select(read_records({FANIN_SOURCE_DIR "/experiments/recorded/seed/latency.jsonl"}).records);
}

void fit_bootstrap_1000(benchmark::State& state) {
  ContestOptions options;
  options.laws = {fanin::model::find_law("competing_resources")};
  const std::vector<Record> rows = fourteen_rows();
  for (auto _ : state) benchmark::DoNotOptimize(contest(rows, options));
}
BENCHMARK(fit_bootstrap_1000)->Unit(benchmark::kMillisecond);

/// Every law of the family that the rows can tell, with a hold-out, as `fanin fit` does.
void fit_family_1000(benchmark::State& state) {
  ContestOptions options;
  options.holdout = Where::parse("sources=3");
  const std::vector<Record> rows = fourteen_rows();
  for (auto _ : state) benchmark::DoNotOptimize(contest(rows, options));
}
BENCHMARK(fit_family_1000)->Unit(benchmark::kMillisecond);

}  // namespace
