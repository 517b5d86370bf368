// The engine's speed on the hold model: N processes, each waits a uniform delay of 1…2,000 ticks
// again and again. hold_floor is the least that a time-ordered run can do: a binary heap of 16-byte
// entries that replaces its top, same generator, no engine.
#include <benchmark/benchmark.h>

#include <algorithm>
#include <cstdint>
#include <deque>
#include <vector>

#include "fanin/model/sim/simulator.hpp"

namespace {

using fanin::Picoseconds;

/// xorshift64*.
struct Generator {
  std::uint64_t state;
  std::int64_t delay() {
    state ^= state >> 12;
    state ^= state << 25;
    state ^= state >> 27;
    const std::uint64_t draw = (state * 2685821657736338717ULL) >> 32;
    return static_cast<std::int64_t>(1 + ((draw * 2000) >> 32));
  }
};

std::uint64_t seed_of(std::int64_t process) {
  return 0x9E3779B97F4A7C15ULL * (static_cast<std::uint64_t>(process) + 1);
}

constexpr std::uint64_t kEventsPerIteration = 1 << 20;

class HoldProcess final : public fanin::sim::Actor {
 public:
  explicit HoldProcess(std::uint64_t seed) : generator_{seed} {}
  void wake(fanin::sim::Simulator& simulator) override {
    simulator.schedule(simulator.now() + Picoseconds{generator_.delay()}, *this);
  }

 private:
  Generator generator_;
};

void hold(benchmark::State& state) {
  fanin::sim::Simulator simulator;
  std::deque<HoldProcess> processes;
  for (std::int64_t i = 0; i < state.range(0); ++i) {
    simulator.add(processes.emplace_back(seed_of(i)));
    processes.back().wake(simulator);
  }
  for ([[maybe_unused]] auto iteration : state) simulator.run_events(kEventsPerIteration);
  benchmark::DoNotOptimize(simulator.now());
  state.SetItemsProcessed(static_cast<std::int64_t>(simulator.events()));
}
BENCHMARK(hold)->Arg(16)->Arg(1024)->Arg(16384);

struct FloorEntry {
  std::int64_t time;
  std::uint64_t id;
  bool operator<(const FloorEntry& other) const {
    return time < other.time || (time == other.time && id < other.id);
  }
};

void sift_down(std::vector<FloorEntry>& heap, FloorEntry entry) {
  std::size_t hole = 0;
  for (std::size_t child = 1; child < heap.size(); child = 2 * hole + 1) {
    if (child + 1 < heap.size() && heap[child + 1] < heap[child]) ++child;
    if (!(heap[child] < entry)) break;
    heap[hole] = heap[child];
    hole = child;
  }
  heap[hole] = entry;
}

void hold_floor(benchmark::State& state) {
  std::vector<Generator> generators;
  std::vector<FloorEntry> heap;
  for (std::int64_t i = 0; i < state.range(0); ++i) {
    generators.push_back({seed_of(i)});
    heap.push_back({generators.back().delay(), static_cast<std::uint64_t>(i)});
  }
  std::sort(heap.begin(), heap.end());
  std::uint64_t events = 0;
  for ([[maybe_unused]] auto iteration : state) {
    for (std::uint64_t i = 0; i < kEventsPerIteration; ++i) {
      FloorEntry top = heap.front();
      top.time += generators[top.id].delay();
      sift_down(heap, top);
    }
    events += kEventsPerIteration;
  }
  benchmark::DoNotOptimize(heap.data());
  state.SetItemsProcessed(static_cast<std::int64_t>(events));
}
BENCHMARK(hold_floor)->Arg(16)->Arg(1024)->Arg(16384);

}  // namespace
