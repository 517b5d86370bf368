#include <gtest/gtest.h>

#include <algorithm>
#include <cstdint>
#include <deque>
#include <random>
#include <vector>

#include "fanin/model/sim/barrier.hpp"
#include "fanin/model/sim/event_queue.hpp"
#include "fanin/model/sim/simulator.hpp"
#include "fanin/model/stuck.hpp"

namespace fanin::sim {
namespace {

TEST(EventQueue, LeavesInOrderOfTimeThenSequence) {
  EventQueue queue;
  std::mt19937_64 random(7);
  std::vector<std::pair<std::int64_t, ActorId>> expected;
  for (ActorId actor = 0; actor < 1000; ++actor) {
    const auto time = static_cast<std::int64_t>(random() % 50);
    queue.push({time}, actor);
    expected.emplace_back(time, actor);  // the actor's number is the order of pushing
  }
  std::sort(expected.begin(), expected.end());
  for (const auto& [time, actor] : expected) {
    ASSERT_EQ(queue.top_time().count, time);
    ASSERT_EQ(queue.top_actor(), actor);
    queue.pop();
  }
  EXPECT_TRUE(queue.empty());
}

TEST(EventQueue, ReplaceTopIsPopAndPush) {
  std::mt19937_64 random(11);
  EventQueue replaced;
  EventQueue popped;
  for (ActorId actor = 0; actor < 37; ++actor) {
    replaced.push({actor}, actor);
    popped.push({actor}, actor);
  }
  for (int i = 0; i < 2000; ++i) {
    const auto time = replaced.top_time().count + static_cast<std::int64_t>(random() % 20);
    const ActorId actor = popped.top_actor();
    ASSERT_EQ(replaced.top_actor(), actor);
    ASSERT_LE(replaced.top_time(), replaced.second_time());
    replaced.replace_top({time}, actor);
    popped.pop();
    popped.push({time}, actor);
  }
}

class Recorder final : public Actor {
 public:
  explicit Recorder(std::vector<ActorId>& order) : order_(&order) {}
  void wake(Simulator&) override { order_->push_back(id()); }

 private:
  std::vector<ActorId>* order_;
};

TEST(Simulator, EqualTimesRunInOrderOfScheduling) {
  Simulator simulator;
  std::vector<ActorId> order;
  std::deque<Recorder> actors;
  for (int i = 0; i < 5; ++i) simulator.add(actors.emplace_back(order));
  for (const int i : {3, 1, 4, 0, 2}) simulator.schedule({10}, actors[static_cast<std::size_t>(i)]);
  simulator.run();
  EXPECT_EQ(order, (std::vector<ActorId>{3, 1, 4, 0, 2}));
  EXPECT_EQ(simulator.events(), 5U);
  EXPECT_EQ(simulator.now(), Picoseconds{10});
}

/// Waits a fixed delay, n times.
class Chain final : public Actor {
 public:
  Chain(Picoseconds delay, int links) : delay_(delay), links_(links) {}
  void wake(Simulator& simulator) override {
    if (links_-- > 0) simulator.schedule(simulator.now() + delay_, *this);
  }

 private:
  Picoseconds delay_;
  int links_;
};

TEST(Simulator, SerialChainIsASum) {
  Simulator simulator;
  Chain chain({1234567}, 1000);
  simulator.add(chain);
  simulator.schedule({0}, chain);
  simulator.run();
  EXPECT_EQ(simulator.now(), Picoseconds{1234567000});
  EXPECT_EQ(simulator.events(), 1001U);
}

TEST(Simulator, NextTimeLooksPastTheEventBeingHandled) {
  Simulator simulator;
  class Peek final : public Actor {
   public:
    void wake(Simulator& sim) override { seen.push_back(sim.next_time()); }
    std::vector<Picoseconds> seen;
  } peek;
  simulator.add(peek);
  simulator.schedule({5}, peek);
  simulator.schedule({9}, peek);
  simulator.run();
  EXPECT_EQ(peek.seen, (std::vector<Picoseconds>{{9}, kNever}));
}

class NeverServed final : public Actor {
 public:
  void wake(Simulator&) override {}
  std::string name() const override { return "collect of attention2"; }
  std::string waiting_for() const override { return "3 of 192 finishes from ffn0"; }
};

TEST(Simulator, StuckRunNamesWhoWaitsForWhat) {
  Simulator simulator;
  NeverServed actor;
  simulator.add(actor);
  simulator.schedule({1}, actor);
  try {
    simulator.run();
    FAIL() << "must not end";
  } catch (const model::SimulationStuck& stuck) {
    ASSERT_EQ(stuck.waits().size(), 1U);
    EXPECT_EQ(stuck.waits()[0].who, "collect of attention2");
    EXPECT_STREQ(stuck.what(),
                 "simulation stuck: collect of attention2 waits for 3 of 192 finishes from ffn0");
  }
}

TEST(Barrier, ReleasesAllACostAfterTheLast) {
  Simulator simulator;
  std::vector<ActorId> order;
  std::deque<Recorder> actors;
  Barrier barrier(3, {100});
  for (int i = 0; i < 3; ++i) simulator.add(actors.emplace_back(order));
  barrier.arrive(simulator, actors[0], {50});
  barrier.arrive(simulator, actors[1], {70});
  EXPECT_EQ(barrier.missing(), 1);
  barrier.arrive(simulator, actors[2], {20});
  EXPECT_EQ(barrier.released_at(), Picoseconds{170});
  EXPECT_EQ(barrier.missing(), 3);
  simulator.run();
  EXPECT_EQ(order.size(), 3U);
  EXPECT_EQ(simulator.now(), Picoseconds{170});
}

}  // namespace
}  // namespace fanin::sim
