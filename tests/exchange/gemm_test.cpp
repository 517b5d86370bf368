// GEMMs beside the exchange, on either role and on every path.
#include <gtest/gtest.h>

#include "exchange_fixture.hpp"

namespace fanin::model {
namespace {

Exchange beside(Path path, Protocol protocol, GemmSide side) {
  Exchange exchange = hybrid(path == Path::nvlink ? 1 : 2, 24, 64);
  exchange.path = path;
  exchange.protocol = protocol;
  exchange.gemm_solo_us = 25.0;
  exchange.gemm_on = side;
  return exchange;
}

Picoseconds without(Exchange exchange, const hw::Profile& profile) {
  exchange.gemm_solo_us = 0.0;
  return period(exchange, profile);
}

TEST(Gemm, SlowsTheExchangeAndItselfWhereItRuns) {
  for (const Path path : {Path::nvlink, Path::hybrid, Path::direct}) {
    for (const Protocol protocol : {Protocol::role, Protocol::symmetric}) {
      for (const GemmSide side : {GemmSide::both, GemmSide::attention, GemmSide::ffn}) {
        const Exchange exchange = beside(path, protocol, side);
        const SimulationResult result = simulate(exchange, {});
        ASSERT_TRUE(result.gemm.has_value());
        const std::string what = std::string(to_string(path)) + ' ' +
                                 std::string(to_string(protocol)) + ' ' +
                                 std::string(to_string(side));
        EXPECT_GT(result.exchange, without(exchange, {})) << what;
        if (side == GemmSide::ffn) {
          EXPECT_EQ(result.gemm->attention.count, 0) << what;
        } else {
          EXPECT_GT(result.gemm->attention.us(), 25.0) << what;
        }
        if (side == GemmSide::attention) {
          EXPECT_EQ(result.gemm->ffn.count, 0) << what;
        } else {
          EXPECT_GT(result.gemm->ffn.us(), 25.0) << what;
        }
      }
    }
  }
}

/// A role's kernel that wants all SMs waits once: the copy epilogue on FFN, the reduce on
/// Attention.
TEST(Gemm, LaunchWaitIsASum) {
  for (const Path path : {Path::hybrid, Path::direct}) {
    hw::Profile profile = free_profile();
    set(profile, "gemm.launch_wait", 7.0);
    set(profile, "gemm.epilogue_slowdown", 1.0);
    const auto extra = [&](GemmSide side) {
      const Exchange exchange = beside(path, Protocol::role, side);
      return (period(exchange, profile) - without(exchange, profile)).us();
    };
    EXPECT_NEAR(extra(GemmSide::ffn), 7.0, 1e-3) << to_string(path);
    EXPECT_NEAR(extra(GemmSide::attention), 7.0, 1e-3) << to_string(path);
    EXPECT_NEAR(extra(GemmSide::both), 14.0, 1e-3) << to_string(path);
  }
}

TEST(Gemm, OnlyFfnRowsOfTheCopyEpilogueAreSlowed) {
  hw::Profile profile = free_profile();
  set(profile, "hybrid.copy_epilogue_row", 10.0);
  set(profile, "gemm.launch_wait", 0.0);
  set(profile, "gemm.epilogue_slowdown", 3.0);
  const Exchange ffn = beside(Path::hybrid, Protocol::role, GemmSide::ffn);
  // Two sources of four GPUs with 64 tokens of 8 experts over four FFN GPUs.
  const double rows = 2 * 4 * 64 * 8 / 4;
  EXPECT_NEAR((period(ffn, profile) - without(ffn, profile)).us(), 2.0 * rows * 10e-3, 1e-3);
  const Exchange attention = beside(Path::hybrid, Protocol::role, GemmSide::attention);
  EXPECT_EQ(period(attention, profile), without(attention, profile));
}

TEST(Gemm, NothingWithoutALoad) {
  Exchange exchange = beside(Path::hybrid, Protocol::role, GemmSide::both);
  exchange.gemm_solo_us = 0.0;
  EXPECT_FALSE(simulate(exchange, {}).gemm.has_value());
}

}  // namespace
}  // namespace fanin::model
