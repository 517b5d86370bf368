// 10,000 configurations at T = 1 on two cores: the goal is 10 s.
#include <benchmark/benchmark.h>

#include <atomic>
#include <thread>
#include <vector>

#include "fanin/hw/profile.hpp"
#include "fanin/model/simulate.hpp"

namespace {

using namespace fanin::model;

/// 25 counts of SMs, 4 of sources, 5 tail intervals, 4 of channels per SM, 5 queue depths.
std::vector<Exchange> configurations() {
  std::vector<Exchange> all;
  for (int sms = 2; sms <= 50; sms += 2) {
    for (int sources = 1; sources <= 4; ++sources) {
      for (const int interval : {1, 3, 6, 12, 16}) {
        for (const int channels : {4, 6, 7, 8}) {
          for (const int depth : {32, 64, 128, 512, 1024}) {
            Exchange exchange;
            exchange.transport_sms = sms;
            exchange.attention_ranks = 4 * sources;
            exchange.tail_interval = interval;
            exchange.channels_per_sm = channels;
            exchange.queue_depth = depth;
            all.push_back(exchange);
          }
        }
      }
    }
  }
  return all;
}

void sweep_10000(benchmark::State& state) {
  const std::vector<Exchange> all = configurations();
  if (all.size() != 10000) state.SkipWithError("not 10,000 configurations");
  const fanin::hw::Profile profile = fanin::hw::find_profile("h100-4x-cx7-ndr400");
  SimulationOptions options;
  options.explain = false;
  for (auto _ : state) {
    std::atomic<std::size_t> next{0};
    const auto work = [&] {
      for (std::size_t i = next++; i < all.size(); i = next++) {
        benchmark::DoNotOptimize(simulate(all[i], profile, options));
      }
    };
    std::jthread other(work);
    work();
  }
}
BENCHMARK(sweep_10000)->Unit(benchmark::kSecond);

}  // namespace
