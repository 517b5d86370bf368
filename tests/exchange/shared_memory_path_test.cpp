// What warps of one SM, and rows beyond the cache, add to the FFN's copy epilogue and combine.
#include <gtest/gtest.h>

#include "exchange_fixture.hpp"

namespace fanin::model {
namespace {

Picoseconds time_with(const Exchange& exchange,
                      std::initializer_list<std::pair<const char*, double>> values) {
  hw::Profile profile;
  for (const auto& [name, value] : values) set(profile, name, value);
  return simulate(exchange, profile).exchange;
}

TEST(CombineRound, EachWarpOfTheSmWithARowAddsItsShare) {
  constexpr double kShare = 0.25;
  struct Case {
    int tokens;
    int warps;  // of the busiest SM that have a row
  };
  for (const Case& c : {Case{1, 1}, Case{5, 5}, Case{8, 8}, Case{64, 8}}) {
    const Exchange exchange = hybrid(1, 8, c.tokens);
    const Picoseconds shared =
        time_with(exchange, {{"hybrid.combine_round", 4.0}, {"hybrid.combine_round_sm", kShare}});
    const Picoseconds alone =
        time_with(exchange, {{"hybrid.combine_round", 4.0 + kShare * c.warps}});
    EXPECT_EQ(shared, alone) << c.tokens << " tokens";
  }
}

TEST(CombineRound, AWarpThatHasNoRowInTheRoundAddsNothing) {
  // 65 tokens on 64 channels: in the second round channel 0 is alone.
  const Exchange exchange = hybrid(1, 8, 65);
  const Picoseconds one_round = time_with(
      hybrid(1, 8, 64), {{"hybrid.combine_round", 4.0}, {"hybrid.combine_round_sm", 1.0}});
  const Picoseconds two_rounds =
      time_with(exchange, {{"hybrid.combine_round", 4.0}, {"hybrid.combine_round_sm", 1.0}});
  const Picoseconds both_full = time_with(exchange, {{"hybrid.combine_round", 12.0}});
  EXPECT_GT(two_rounds, one_round);
  EXPECT_LT(two_rounds, both_full);
}

TEST(CopyEpilogue, OnlyRowsBeyondTheCacheCostMore) {
  const Exchange exchange = hybrid(2, 8, 64);
  const Picoseconds plain = time_with(exchange, {{"hybrid.copy_epilogue_row", 2.0}});
  EXPECT_EQ(plain, time_with(exchange, {{"hybrid.copy_epilogue_row", 2.0},
                                        {"hybrid.copy_epilogue_row_memory", 3.0},
                                        {"hybrid.cached_bytes", 1e9}}));
  EXPECT_EQ(time_with(exchange, {{"hybrid.copy_epilogue_row", 5.0}}),
            time_with(exchange, {{"hybrid.copy_epilogue_row", 2.0},
                                 {"hybrid.copy_epilogue_row_memory", 3.0},
                                 {"hybrid.cached_bytes", 0.0}}));
  // Ten rows of 4,096 B are held, which saves their 30 ns.
  const Picoseconds most = time_with(exchange, {{"hybrid.copy_epilogue_row", 5.0}});
  const Picoseconds held = time_with(exchange, {{"hybrid.copy_epilogue_row", 2.0},
                                                {"hybrid.copy_epilogue_row_memory", 3.0},
                                                {"hybrid.cached_bytes", 40960.0}});
  EXPECT_EQ(most - held, from_ns(30.0));
}

}  // namespace
}  // namespace fanin::model
