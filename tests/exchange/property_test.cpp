#include <gtest/gtest.h>

#include <algorithm>
#include <map>

#include "exchange_fixture.hpp"
#include "fanin/hw/error.hpp"

namespace fanin::model {
namespace {

TEST(Property, MoreSourcesAreNeverFaster) {
  for (const int tokens : {0, 1, 30}) {
    for (const int sms : {8, 24}) {
      Picoseconds before;
      for (int sources = 1; sources <= 6; ++sources) {
        const Picoseconds now = period(hybrid(sources, sms, tokens), {});
        EXPECT_GE(now, before) << sources << " sources, " << sms << " SMs, " << tokens << " tokens";
        before = now;
      }
    }
  }
}

/// Of parts that every exchange passes once. Servers in FIFO order have no such property: rows that
/// come sooner can queue behind a drain that they would have missed.
TEST(Property, AFasterStageNeverMakesTheExchangeSlower) {
  const Exchange exchange = hybrid(3, 24, 1);
  const Picoseconds base = period(exchange, {});
  for (const char* name :
       {"hybrid.constant", "hybrid.dispatch_exit", "hybrid.copy_epilogue_constant",
        "hybrid.combine_entry", "hybrid.collect", "hybrid.reduce_constant"}) {
    hw::Profile faster;
    set(faster, name, hw::find_parameter(name)->prior / 2.0);
    EXPECT_LT(period(exchange, faster), base) << name;
  }
}

TEST(Property, CriticalPathSumsToTheExchange) {
  for (const int tokens : {1, 100}) {
    const SimulationResult result = simulate(hybrid(3, 24, tokens), {});
    Picoseconds sum;
    for (const CriticalShare& share : result.critical_path) sum += share.time;
    EXPECT_EQ(sum, result.exchange);
  }
}

TEST(Property, ExplanationAndTraceDoNotChangeTheTime) {
  const Exchange exchange = hybrid(3, 24, 20);
  SimulationOptions quiet;
  quiet.explain = false;
  SimulationOptions traced;
  traced.record_trace = true;
  EXPECT_EQ(simulate(exchange, {}, quiet).exchange, simulate(exchange, {}, traced).exchange);
}

TEST(Property, KernelsOfOneGpuFollowEachOtherAndFitIntoThePeriod) {
  const SimulationResult result = simulate(hybrid(3, 24, 1), {});
  ASSERT_FALSE(result.kernels.empty());
  for (std::size_t i = 0; i < result.kernels.size(); ++i) {
    const KernelSpan& kernel = result.kernels[i];
    EXPECT_LE(kernel.start, kernel.end);
    EXPECT_LE((kernel.end - kernel.start), result.exchange);
    if (kernel.launch_index > 0) {
      EXPECT_GE(kernel.start, result.kernels[i - 1].end);
    }
  }
}

TEST(Property, ServersAreNeverMoreThanBusy) {
  for (const ResourceUse& use : simulate(hybrid(3, 24, 512), {}).resources) {
    EXPECT_LE(use.utilisation, 1.0 + 1e-9) << use.resource;
    EXPECT_GE(use.utilisation, 0.0) << use.resource;
  }
}

TEST(Property, ExchangesThatCannotBeModelledAreRefusedWithAReason) {
  Exchange uneven = hybrid(1, 24, 1);
  uneven.attention_ranks = 6;  // 1.5 domains of four
  EXPECT_THROW(simulate(uneven, {}), InputError);
  Exchange experts = hybrid(1, 24, 1);
  experts.experts = 130;
  EXPECT_THROW(simulate(experts, {}), InputError);
}

TEST(Property, FlowArrowsJoinSignalsAndTheWaitTheyEnd) {
  SimulationOptions traced;
  traced.record_trace = true;
  const SimulationResult result = simulate(hybrid(1, 4, 1), {}, traced);
  std::map<std::int64_t, int> points;
  int waits = 0;
  for (const TraceEvent& event : result.trace) {
    if (event.flow_id < 0) continue;
    ++points[event.flow_id];
    if (event.name.rfind("wait for", 0) == 0) ++waits;
  }
  EXPECT_GT(waits, 0);
  const bool three =
      std::any_of(points.begin(), points.end(), [](const auto& flow) { return flow.second == 3; });
  EXPECT_TRUE(three) << "requester, responder and wait";
}

}  // namespace
}  // namespace fanin::model
