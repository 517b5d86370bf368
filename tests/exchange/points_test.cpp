// The protocol's steps as in-kernel stamps would see them.
#include <gtest/gtest.h>

#include <algorithm>

#include "exchange_fixture.hpp"

namespace fanin::model {
namespace {

SimulationResult with_points(const Exchange& exchange, bool reference = false) {
  SimulationOptions options;
  options.record_points = true;
  options.reference = reference;
  return simulate(exchange, {}, options);
}

const PointTimes& find(const SimulationResult& result, int device, const std::string& point) {
  const auto found =
      std::find_if(result.points.begin(), result.points.end(),
                   [&](const PointTimes& p) { return p.device == device && p.point == point; });
  if (found == result.points.end()) throw std::runtime_error("no " + point);
  return *found;
}

TEST(Points, ShortCutsDoNotMoveThem) {
  for (const int tokens : {0, 1, 130}) {
    const SimulationResult fast = with_points(hybrid(3, 24, tokens));
    const SimulationResult stepwise = with_points(hybrid(3, 24, tokens), true);
    ASSERT_FALSE(fast.points.empty());
    // One rail stands for all of them; step by step, all are there.
    for (const PointTimes& a : fast.points) {
      const PointTimes& b = find(stepwise, a.device, a.point);
      EXPECT_EQ(a.events, b.events) << a.point;
      EXPECT_EQ(a.first, b.first) << a.point;
      EXPECT_EQ(a.median, b.median) << a.point;
      EXPECT_EQ(a.last, b.last) << a.point;
    }
  }
}

TEST(Points, EveryChannelRowAndWordPassesOnce) {
  const int tokens = 100;
  const Exchange exchange = hybrid(3, 24, tokens);
  const SimulationResult result = with_points(exchange);
  const int ffn = 0;
  const int attention = exchange.ffn_ranks;
  const std::int64_t channels = 24 * 8;
  EXPECT_EQ(find(result, attention, "counts_posted").events, 1);
  EXPECT_EQ(find(result, attention, "finish_posted").events, channels);
  EXPECT_EQ(find(result, ffn, "counts_seen").events, 1);
  EXPECT_EQ(find(result, ffn, "channel_done").events, channels);
  EXPECT_EQ(find(result, ffn, "row_forwarded").events, 3 * tokens);
  EXPECT_EQ(find(result, ffn, "row_returned").events, 3 * tokens);
  EXPECT_EQ(find(result, ffn, "combine_finish_posted").events, channels);
  EXPECT_EQ(find(result, attention, "finish_served").events, channels);
  EXPECT_EQ(find(result, attention, "finish_matched").events, channels);
  EXPECT_EQ(find(result, attention, "finish_posted").first, Picoseconds{});
}

TEST(Points, FollowEachOther) {
  const Exchange exchange = hybrid(3, 24, 1);
  const SimulationResult result = with_points(exchange);
  const int ffn = 0;
  const int attention = exchange.ffn_ranks;
  const Picoseconds done = find(result, ffn, "channel_done").last;
  const Picoseconds posted = find(result, ffn, "combine_finish_posted").last;
  const Picoseconds served = find(result, attention, "finish_served").last;
  EXPECT_LE(find(result, ffn, "row_forwarded").last, done);
  EXPECT_LT(done, find(result, ffn, "combine_finish_posted").first);
  EXPECT_LT(find(result, ffn, "row_returned").first, posted);
  EXPECT_LT(posted, served);
  EXPECT_EQ(find(result, attention, "finish_matched").last, served);
}

TEST(Points, KeepingThemDoesNotChangeTheTime) {
  const Exchange exchange = hybrid(2, 16, 20);
  EXPECT_EQ(with_points(exchange).exchange, period(exchange, {}));
  EXPECT_TRUE(simulate(exchange, {}).points.empty());
}

}  // namespace
}  // namespace fanin::model
