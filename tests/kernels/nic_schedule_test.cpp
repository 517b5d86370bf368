#include "fanin/kernels/nic_schedule.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <vector>

#include "fanin/kernels/nic_load.hpp"

namespace fanin::kernels {
namespace {

using Ticks = std::int64_t;

nic::StageOp op_of(std::int32_t base) {
  nic::StageOp op;
  op.base = base;
  return op;
}

TEST(NicSchedule, CompletionIsTheLaterOfArrivalAndPreviousPlusService) {
  nic::StageState<Ticks> state;
  const nic::StageCosts costs;
  EXPECT_EQ(nic::advance<Ticks>(state, costs, 100, op_of(28)), 128);
  EXPECT_EQ(nic::advance<Ticks>(state, costs, 110, op_of(28)), 156);  // waits for the first
  EXPECT_EQ(nic::advance<Ticks>(state, costs, 156, op_of(28)), 184);
  EXPECT_EQ(nic::advance<Ticks>(state, costs, 500, op_of(10)), 510);  // the server was idle
  EXPECT_EQ(nic::advance<Ticks>(state, costs, 0, op_of(10)), 520);
}

TEST(NicSchedule, BaseCostAddsKindBytesAndDoorbell) {
  nic::StageCosts costs;
  costs.atomic = 28 * nic::kTicksPerNs;
  costs.write = 20 * nic::kTicksPerNs;
  costs.doorbell = 5 * nic::kTicksPerNs;
  costs.per_byte = nic::kTicksPerNs / 50.0f;  // 50 GB/s
  EXPECT_EQ(nic::base_cost(costs, true, 0, true), 33 * nic::kTicksPerNs);
  // 4,224 B at 50 GB/s take 84.48 ns.
  EXPECT_NEAR(nic::base_cost(costs, false, 4224, false), (20 + 84.48) * nic::kTicksPerNs, 1);
  EXPECT_EQ(nic::base_cost(costs, false, 1u << 31, false), nic::kMaxBaseCost);
}

TEST(NicSchedule, AnotherQueueCostsASwitch) {
  nic::StageState<Ticks> state;
  nic::StageCosts costs;
  costs.queue_switch = 7;
  const auto completion = [&](int queue) {
    nic::StageOp op = op_of(10);
    op.queue = queue;
    return nic::advance<Ticks>(state, costs, 0, op);
  };
  EXPECT_EQ(completion(3), 17);
  EXPECT_EQ(completion(3), 27);
  EXPECT_EQ(completion(4), 44);
}

TEST(NicSchedule, ContextCacheIsDirectMapped) {
  std::vector<std::int32_t> tags(4, -1);
  nic::StageState<Ticks> state;
  state.context_tags = tags.data();
  nic::StageCosts costs;
  costs.contexts = 4;
  costs.context_miss = 100;
  const auto cost = [&](int queue) {
    const Ticks before = state.free;
    nic::StageOp op = op_of(1);
    op.queue = queue;
    return nic::advance<Ticks>(state, costs, 0, op) - before;
  };
  EXPECT_EQ(cost(1), 101);
  EXPECT_EQ(cost(2), 101);
  EXPECT_EQ(cost(1), 1);
  EXPECT_EQ(cost(5), 101);  // takes the place of 1
  EXPECT_EQ(cost(1), 101);
  EXPECT_EQ(cost(2), 1);
}

TEST(NicSchedule, AHeldLockSlotStopsTheServer) {
  std::vector<Ticks> free(8, 0);
  nic::StageState<Ticks> state;
  state.lock_free = free.data();
  nic::StageCosts costs;
  costs.lock_slots = 8;
  costs.lock_hold = 50;
  const auto completion = [&](int lock) {
    nic::StageOp op = op_of(10);
    op.lock = lock;
    return nic::advance<Ticks>(state, costs, 0, op);
  };
  EXPECT_EQ(completion(0), 10);
  EXPECT_EQ(completion(1), 20);
  EXPECT_EQ(completion(0), 60);   // starts when slot 0 is free, at 50
  EXPECT_EQ(completion(-1), 70);  // takes no slot, but waits its turn
  EXPECT_EQ(completion(1), 80);
}

TEST(NicSchedule, LockSlotsOfNeighbouringWordsSpread) {
  std::vector<int> hits(512, 0);
  for (std::uint64_t word = 0; word < 512; ++word) {
    const int slot = nic::lock_slot(0x7f0000000000 + 8 * word, 512);
    ASSERT_GE(slot, 0);
    ASSERT_LT(slot, 512);
    ++hits[static_cast<std::size_t>(slot)];
  }
  int used = 0;
  for (const int count : hits) used += count > 0 ? 1 : 0;
  EXPECT_GT(used, 300);  // 512 words thrown at random use 324
}

TEST(NicFigures, MeanResponseOfPoissonArrivalsIsMd1) {
  const double service = 100;
  for (const double load : {0.3, 0.6, 0.9}) {
    const auto arrivals = poisson_arrivals(2'000'000, service / load, 11);
    const double expected = md1_response_ns(service, load);
    EXPECT_NEAR(mean_response_ns(arrivals, service), expected, 0.03 * expected) << load;
  }
}

TEST(NicFigures, ServiceIsFoundAgainFromTheResponse) {
  const auto arrivals = poisson_arrivals(20'000, 50, 3);
  const double response = mean_response_ns(arrivals, 31.5);
  EXPECT_NEAR(service_from_response(arrivals, response, 28), 31.5, 0.02);
}

// A device timer of today, which a double does not hold to the nanosecond.
constexpr std::uint64_t kStart = 1'796'000'000'000'000'100;

NicObservation steady(double gap_ns, std::int64_t signals) {
  NicObservation seen;
  seen.start_ns = kStart;
  seen.signals = signals;
  for (std::uint64_t ns = kStart;; ns += 64) {
    const auto count =
        std::min(static_cast<std::int64_t>(static_cast<double>(ns - kStart) / gap_ns), signals);
    seen.ns.push_back(ns);
    seen.seen.push_back(static_cast<std::uint32_t>(count));
    if (count == signals) return seen;
  }
}

TEST(NicFigures, HeldServiceAndMeanCompletionOfASteadyServer) {
  const NicObservation seen = steady(28, 10'000);
  EXPECT_NEAR(held_ns(seen), 28, 0.05);
  EXPECT_NEAR(mean_completion_ns(seen), 28 * 10'001 / 2.0, 40);
  EXPECT_NEAR(mean_completion_ns(seen, 0, 4'000), 28 * 4'001 / 2.0, 40);
  EXPECT_NEAR(mean_completion_ns(seen, 4'000, 6'000), 28 * (4'000 + 6'001 / 2.0), 40);
}

TEST(NicFigures, AWatcherThatSawTooLittleIsAnError) {
  NicObservation seen = steady(28, 1000);
  seen.signals = 5000;
  EXPECT_THROW(held_ns(seen), std::runtime_error);
  EXPECT_THROW(mean_completion_ns(seen), std::runtime_error);
}

TEST(NicFigures, SpacedArrivalsNeverQueue) {
  for (const double load : {0.3, 0.6, 0.9}) {
    const double service = 40;
    const auto arrivals = spaced_arrivals(100'000, service / load, service, 5);
    // Whole ns: neighbours may come half a ns too early each.
    EXPECT_NEAR(mean_response_ns(arrivals, service), service, 0.5) << load;
  }
}

// A server by the rule, each of whose operations takes effect 250 ns late, looked at every 700 ns.
TEST(NicFigures, AlternatingArrivalsTakeOffWhatTheEmulationTakes) {
  constexpr double kService = 40;
  const AlternatingArrivals arrivals(kService, 0.6, 160'000, 160'000, 3);
  NicObservation seen;
  seen.signals = 320'000;
  std::vector<double> effect;
  double free = 0;
  for (const std::uint32_t at : arrivals.all()) {
    free = std::max<double>(at, free) + kService;
    effect.push_back(free + 250);
  }
  for (double at = 0; seen.seen.empty() || seen.seen.back() < effect.size(); at += 700) {
    const auto visible = std::upper_bound(effect.begin(), effect.end(), at) - effect.begin();
    seen.ns.push_back(static_cast<std::uint64_t>(at));
    seen.seen.push_back(static_cast<std::uint32_t>(visible));
  }
  const double drawn = mean_response_ns(arrivals.poisson(), kService);
  EXPECT_GT(drawn, 1.5 * kService);  // they queue
  EXPECT_NEAR(arrivals.response_ns(seen, kService), drawn, 1);
}

}  // namespace
}  // namespace fanin::kernels
