#include <gtest/gtest.h>

#include <cmath>
#include <string>

#include "support.hpp"

namespace fanin::model::test {
namespace {

const KernelSpan& span(const SimulationResult& result, int device, const std::string& kernel) {
  for (const KernelSpan& found : result.kernels) {
    if (found.device == device && found.kernel == kernel) return found;
  }
  throw std::logic_error("no " + kernel + " on device " + std::to_string(device));
}

TEST(Nvlink, WithNoCostTakesNoTime) { EXPECT_LT(period(domain(3, 1, 512), silent()).ns(), 0.1); }

TEST(Nvlink, SerialChainIsASum) {
  hw::Profile profile = silent();
  set(profile, "domain.dispatch_floor", 5.0);
  set(profile, "domain.copy_epilogue_constant", 2.0);
  set(profile, "domain.combine_gap", 0.1);
  set(profile, "domain.combine_link_constant", 6.0);
  set(profile, "domain.reduce_epilogue_constant", 3.0);
  set(profile, "domain.dispatch_gap", 2.0);
  EXPECT_NEAR(period(domain(3, 1, 1), profile).us(), 5.0 + 2.0 + 0.1 + 6.0 + 3.0 + 2.0, 1e-3);
}

TEST(Nvlink, BusiestLinkSetsTheStream) {
  hw::Profile profile = silent();
  set(profile, "nvlink.egress_rate", 100.0);
  set(profile, "nvlink.ingress_rate", 200.0);
  const double row = 4224e-3;  // us at 1 GB/s
  // One FFN GPU takes all rows of three; each Attention GPU sends a third of them.
  EXPECT_NEAR(period(domain(3, 1, 100), profile).us(), 300 * row / 200.0, 1e-3);
  set(profile, "nvlink.ingress_rate", 1000.0);
  EXPECT_NEAR(period(domain(3, 1, 100), profile).us(), 100 * row / 100.0, 1e-3);
}

TEST(Nvlink, BusiestWarpSetsTheSmSide) {
  hw::Profile profile = silent();
  set(profile, "domain.combine_warp_token", 1.0);
  set(profile, "domain.combine_warp_row", 0.5);
  // 3 × 512 tokens on 192 warps: 8 each, with 8 rows each.
  EXPECT_NEAR(period(domain(3, 1, 512), profile).us(), 8 * (1.0 + 8 * 0.5), 1e-3);
  // 3 × 513: one warp has a ninth.
  EXPECT_NEAR(period(domain(3, 1, 513), profile).us(), 9 * (1.0 + 8 * 0.5), 1e-3);
}

TEST(Nvlink, SeparateSmCounts) {
  hw::Profile profile = silent();
  set(profile, "domain.combine_warp_token", 1.0);
  Exchange exchange = domain(3, 1, 512);
  EXPECT_NEAR(period(exchange, profile).us(), 8.0, 1e-3);
  exchange.combine_sms = 48;
  EXPECT_NEAR(period(exchange, profile).us(), 4.0, 1e-3);
  exchange.ffn_combine_sms = 132;
  EXPECT_NEAR(period(exchange, profile).us(), 2.0, 1e-3);
}

TEST(Nvlink, BothModesGiveTheSameTimes) {
  for (const Protocol protocol : {Protocol::role, Protocol::symmetric}) {
    for (const auto& [attention, ffn] : {std::pair{3, 1}, {2, 2}, {1, 3}, {5, 4}}) {
      for (const int tokens : {1, 8, 100, 2048}) {
        Exchange exchange = domain(attention, ffn, tokens);
        exchange.protocol = protocol;
        SimulationOptions stepwise;
        stepwise.reference = true;
        const SimulationResult a = simulate(exchange, {}, {});
        const SimulationResult b = simulate(exchange, {}, stepwise);
        EXPECT_EQ(a.exchange, b.exchange);
        ASSERT_EQ(a.kernels.size(), b.kernels.size());
        for (std::size_t i = 0; i < a.kernels.size(); ++i) {
          EXPECT_EQ(a.kernels[i].start, b.kernels[i].start);
          EXPECT_EQ(a.kernels[i].end, b.kernels[i].end);
        }
      }
    }
  }
}

TEST(Nvlink, CriticalPathSumsToTheExchange) {
  for (const Protocol protocol : {Protocol::role, Protocol::symmetric}) {
    for (const int tokens : {1, 128, 2048}) {
      Exchange exchange = domain(2, 2, tokens);
      exchange.protocol = protocol;
      const SimulationResult result = simulate(exchange, {}, {});
      Picoseconds sum;
      for (const CriticalShare& share : result.critical_path) sum += share.time;
      EXPECT_EQ(sum, result.exchange);
    }
  }
}

TEST(Nvlink, MoreWorkIsNeverFaster) {
  Picoseconds last;
  for (int tokens = 1; tokens <= 4096; tokens *= 2) {
    Exchange exchange = domain(3, 1, tokens);
    exchange.capacity = 4096;
    const Picoseconds now = period(exchange);
    EXPECT_GE(now, last) << tokens;
    last = now;
  }
  EXPECT_GT(period(domain(4, 1, 512)), period(domain(3, 1, 512)));
}

TEST(Nvlink, VariantsOrder) {
  for (const int tokens : {1, 32, 512, 2048}) {
    Exchange exchange = domain(3, 1, tokens);
    const Picoseconds base = period(exchange);
    Exchange changed = exchange;
    changed.protocol = Protocol::symmetric;
    EXPECT_GT(period(changed), base);
    changed = exchange;
    changed.exit = ExitMode::grid_sync;
    EXPECT_GT(period(changed), base);
    changed = exchange;
    changed.collect_view = true;
    EXPECT_LT(period(changed), base);
    changed = exchange;
    changed.gemm_solo_us = 24.8;
    EXPECT_GT(period(changed), base);
  }
}

TEST(Nvlink, CollectViewOnlyHelpsRole) {
  Exchange exchange = domain(3, 1, 32);
  exchange.protocol = Protocol::symmetric;
  const Picoseconds base = period(exchange);
  exchange.collect_view = true;
  EXPECT_EQ(period(exchange), base);
}

TEST(Nvlink, KernelsOverlapAsRecorded) {
  const SimulationResult result = simulate(domain(3, 1, 512), {}, {});
  ASSERT_EQ(result.kernels.size(), 12U);
  const KernelSpan& dispatch = span(result, 0, "dispatch_impl");
  const KernelSpan& epilogue = span(result, 0, "dispatch_copy_epilogue");
  EXPECT_LT(dispatch.start.count, 0);       // waits before the first Attention GPU starts
  EXPECT_LT(epilogue.start, dispatch.end);  // launched early, with the counts
  EXPECT_GT(epilogue.end, dispatch.end);
  EXPECT_EQ(dispatch.end, span(result, 1, "dispatch_impl").end);
  EXPECT_EQ(span(result, 0, "combine_impl").end, span(result, 3, "combine_impl").end);
  EXPECT_EQ(span(result, 1, "combine_reduce_epilogue").grid, 132);
}

TEST(Nvlink, SymmetricRunsBothEpiloguesOnEveryGpu) {
  Exchange exchange = domain(3, 1, 128);
  exchange.protocol = Protocol::symmetric;
  const SimulationResult result = simulate(exchange, {}, {});
  ASSERT_EQ(result.kernels.size(), 16U);
  for (int device = 0; device < 4; ++device) {
    EXPECT_NO_THROW(span(result, device, "dispatch_copy_epilogue"));
    EXPECT_NO_THROW(span(result, device, "combine_reduce_epilogue"));
  }
}

TEST(Nvlink, RoutingTableIsTakenAsItIs) {
  // All tokens to the first FFN GPU: it gets twice what random routing sends it.
  Exchange exchange = domain(2, 2, 64);
  auto table = std::make_shared<RoutingTable>();
  table->top_k = 8;
  table->tokens = 64;
  table->attention_ranks = 2;
  for (int token = 0; token < 128; ++token) {
    for (int i = 0; i < 8; ++i) table->experts.push_back(i);
  }
  exchange.routing = table;
  hw::Profile profile = silent();
  set(profile, "domain.copy_epilogue_write", 4096.0);
  EXPECT_NEAR(period(exchange, profile).us(), 128 * 8 * 1e-3, 1e-3);
  exchange.routing = nullptr;
  EXPECT_NEAR(period(exchange, profile).us(), 64 * 8 * 1e-3, 1e-3);
}

TEST(Nvlink, GemmsAndExchangeSlowEachOther) {
  Exchange exchange = domain(3, 1, 512);
  EXPECT_FALSE(simulate(exchange, {}, {}).gemm.has_value());
  exchange.gemm_solo_us = 24.8;
  const SimulationResult result = simulate(exchange, {}, {});
  ASSERT_TRUE(result.gemm.has_value());
  EXPECT_GT(result.gemm->attention.us(), 24.8);
  EXPECT_GT(result.gemm->ffn, result.gemm->attention);  // the copy epilogue takes all SMs
}

TEST(Nvlink, TraceShowsKernelsAndLinks) {
  SimulationOptions options;
  options.record_trace = true;
  const SimulationResult result = simulate(domain(3, 1, 512), {}, options);
  bool kernel = false;
  bool link = false;
  for (const TraceEvent& event : result.trace) {
    kernel = kernel || (event.track == "ffn0/kernels" && event.name == "combine_impl");
    link = link || event.track == "ffn0/nvlink/ingress";
  }
  EXPECT_TRUE(kernel);
  EXPECT_TRUE(link);
}

TEST(Nvlink, SameInputSameRun) {
  const SimulationResult a = simulate(domain(2, 2, 128), {}, {});
  const SimulationResult b = simulate(domain(2, 2, 128), {}, {});
  EXPECT_EQ(a.exchange, b.exchange);
  EXPECT_EQ(a.events, b.events);
}

}  // namespace
}  // namespace fanin::model::test
