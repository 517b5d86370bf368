// Servers against max-plus by hand, and both modes against each other.
#include "fanin/model/sim/server.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <random>
#include <vector>

#include "fanin/model/sim/merge_server.hpp"

namespace fanin::sim {
namespace {

struct Collect final : Sink {
  void done(Simulator&, const Completion& completion) override {
    completions.emplace_back(completion.at.count, completion.token);
  }
  std::vector<std::pair<std::int64_t, std::uint32_t>> completions;
};

struct Job {
  std::int64_t at;
  std::int64_t service;
};

/// Submits jobs at their times.
class Submitter final : public Actor {
 public:
  Submitter(Server& server, std::vector<Job> jobs) : server_(&server), jobs_(std::move(jobs)) {}
  void begin(Simulator& simulator) {
    simulator.add(*this);
    for (const Job& job : jobs_) simulator.schedule({job.at}, *this);
  }
  void wake(Simulator& simulator) override {
    server_->submit(simulator, static_cast<std::uint32_t>(next_), {jobs_[next_].service});
    ++next_;
  }

 private:
  Server* server_;
  std::vector<Job> jobs_;
  std::size_t next_ = 0;
};

std::vector<Job> random_jobs(std::uint64_t seed, int count) {
  std::mt19937_64 random(seed);
  std::vector<Job> jobs;
  std::int64_t time = 0;
  for (int i = 0; i < count; ++i) {
    time += static_cast<std::int64_t>(random() % 3 == 0 ? 0 : random() % 100);
    jobs.push_back({time, static_cast<std::int64_t>(random() % 60)});
  }
  return jobs;
}

std::vector<std::pair<std::int64_t, std::uint32_t>> run_server(const std::vector<Job>& jobs,
                                                               Mode mode, int units, Usage& usage) {
  Simulator simulator;
  Collect sink;
  Trail trail;
  Server server(simulator, mode, sink, trail, {"server", units, 0});
  Submitter submitter(server, jobs);
  submitter.begin(simulator);
  simulator.run();
  usage = server.usage();
  std::sort(sink.completions.begin(), sink.completions.end());
  return sink.completions;
}

TEST(Server, OneUnitIsMaxPlus) {
  const std::vector<Job> jobs = random_jobs(1, 500);
  Usage usage;
  const auto completions = run_server(jobs, Mode::in_advance, 1, usage);
  std::int64_t free_at = 0;
  std::int64_t busy = 0;
  std::int64_t waited = 0;
  std::vector<std::pair<std::int64_t, std::uint32_t>> expected;
  for (std::size_t i = 0; i < jobs.size(); ++i) {
    const std::int64_t start = std::max(free_at, jobs[i].at);
    waited += start - jobs[i].at;
    busy += jobs[i].service;
    free_at = start + jobs[i].service;
    expected.emplace_back(free_at, static_cast<std::uint32_t>(i));
  }
  std::sort(expected.begin(), expected.end());
  EXPECT_EQ(completions, expected);
  EXPECT_EQ(usage.busy.count, busy);
  EXPECT_EQ(usage.waited.count, waited);
  EXPECT_EQ(usage.operations, 500);
}

TEST(Server, StepwiseEqualsInAdvance) {
  for (const int units : {1, 2, 5}) {
    for (std::uint64_t seed = 0; seed < 20; ++seed) {
      const std::vector<Job> jobs = random_jobs(seed, 300);
      Usage advance;
      Usage stepwise;
      EXPECT_EQ(run_server(jobs, Mode::in_advance, units, advance),
                run_server(jobs, Mode::stepwise, units, stepwise));
      EXPECT_EQ(advance.waited, stepwise.waited);
    }
  }
}

struct Load {
  int lane;
  std::int64_t pushed;
  std::int64_t arrival;
  std::int64_t service;
};

class Pusher final : public Actor {
 public:
  Pusher(MergeServer& server, std::vector<Load> load) : server_(&server), load_(std::move(load)) {}
  void begin(Simulator& simulator) {
    simulator.add(*this);
    for (const Load& item : load_) simulator.schedule({item.pushed}, *this);
  }
  void wake(Simulator& simulator) override {
    const Load& item = load_[next_];
    server_->push(simulator, item.lane, {item.arrival}, {item.service},
                  static_cast<std::uint32_t>(next_));
    ++next_;
  }

 private:
  MergeServer* server_;
  std::vector<Load> load_;
  std::size_t next_ = 0;
};

constexpr int kLanes = 6;
constexpr std::int64_t kLookahead = 40;

std::vector<Load> random_load(std::uint64_t seed, int count) {
  std::mt19937_64 random(seed);
  std::vector<std::int64_t> latest(kLanes, 0);
  std::vector<Load> load;
  std::int64_t time = 0;
  for (int i = 0; i < count; ++i) {
    time += static_cast<std::int64_t>(random() % 4 == 0 ? random() % 80 : 0);
    const auto lane = static_cast<int>(random() % kLanes);
    std::int64_t& last = latest[static_cast<std::size_t>(lane)];
    last = std::max(last, time + kLookahead) + static_cast<std::int64_t>(random() % 5);
    load.push_back({lane, time, last, static_cast<std::int64_t>(random() % 12)});
  }
  return load;
}

struct MergeRun {
  std::vector<std::pair<std::int64_t, std::uint32_t>> completions;
  std::uint64_t events;
};

MergeRun run_merge(const std::vector<Load>& load, Mode mode) {
  Simulator simulator;
  Collect sink;
  Trail trail;
  MergeServer server(simulator, mode, sink, trail, {"responder", kLanes, {kLookahead}, 0, 0});
  Pusher pusher(server, load);
  pusher.begin(simulator);
  simulator.run();
  return {sink.completions, simulator.events()};
}

TEST(MergeServer, ServesInOrderOfArrivalThenLane) {
  const std::vector<Load> load = random_load(3, 400);
  std::vector<std::uint32_t> order(load.size());
  for (std::uint32_t i = 0; i < order.size(); ++i) order[i] = i;
  std::stable_sort(order.begin(), order.end(), [&](std::uint32_t a, std::uint32_t b) {
    return std::pair(load[a].arrival, load[a].lane) < std::pair(load[b].arrival, load[b].lane);
  });
  std::int64_t free_at = 0;
  std::vector<std::pair<std::int64_t, std::uint32_t>> expected;
  for (const std::uint32_t i : order) {
    free_at = std::max(free_at, load[i].arrival) + load[i].service;
    expected.emplace_back(free_at, i);
  }
  EXPECT_EQ(run_merge(load, Mode::in_advance).completions, expected);
}

TEST(MergeServer, StepwiseEqualsInAdvanceWithFewerEvents) {
  for (std::uint64_t seed = 0; seed < 30; ++seed) {
    const std::vector<Load> load = random_load(seed, 300);
    const MergeRun advance = run_merge(load, Mode::in_advance);
    const MergeRun stepwise = run_merge(load, Mode::stepwise);
    EXPECT_EQ(advance.completions, stepwise.completions);
    EXPECT_LT(advance.events, stepwise.events);
  }
}

TEST(Trail, SharesSumToTheChain) {
  Trail trail;
  trail.enable();
  const Cause first = trail.record({{10}, {30}, kNoCause, 1, 0});
  const Cause second = trail.record({{35}, {50}, first, 2, 3});
  const Cause third = trail.record({{50}, {90}, second, 1, 2});
  std::int64_t sum = 0;
  for (const TrailShare& share : trail.shares(third, {20})) sum += share.time.count;
  EXPECT_EQ(sum, 70);
  const auto shares = trail.shares(third, {0});
  ASSERT_EQ(shares.size(), 4U);
  EXPECT_EQ(shares[0].resource, 0);
  EXPECT_EQ(shares[0].time, Picoseconds{10});
  EXPECT_EQ(shares[1].resource, 1);
  EXPECT_EQ(shares[1].time, Picoseconds{60});
}

}  // namespace
}  // namespace fanin::sim
