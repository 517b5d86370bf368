#include "../../experiments/stamped_points.hpp"

#include <gtest/gtest.h>

#include <algorithm>

namespace fanin::experiments {
namespace {

kernels::WarpStamps warp(const char* kernel, int rank, std::vector<kernels::Stamp> stamps) {
  return {kernel, rank, 0, std::move(stamps)};
}

/// One FFN rank and two sources; all times start at one second, as a clock's would.
kernels::RunResult stamped() {
  using kernels::Point;
  constexpr std::uint64_t kStart = 1'000'000'000;
  kernels::RunResult result;
  result.stamps.push_back(warp("attention_dispatch", 1,
                               {{kStart + 1000, Point::row_posted, 0},
                                {kStart + 2000, Point::finish_posted, 0},
                                {kStart + 5000, Point::finish_posted, 1}}));
  result.stamps.push_back(
      warp("attention_dispatch", 2, {{kStart + 1500, Point::finish_posted, 0}}));
  result.stamps.push_back(warp("ffn_dispatch", 0, {{kStart + 7000, Point::channel_done, 1}}));
  result.matched_ns = {{kStart + 9000, kStart + 12000, kStart + 10000}, {0}};
  return result;
}

const StampedPoint* find(const std::vector<StampedPoint>& points, int device,
                         const std::string& point) {
  const auto found = std::find_if(points.begin(), points.end(), [&](const StampedPoint& p) {
    return p.device == device && p.point == point;
  });
  return found == points.end() ? nullptr : &*found;
}

kernels::Shape shape() {
  kernels::Shape shape;
  shape.ffn_ranks = 1;
  shape.sources = 2;
  return shape;
}

TEST(StampedPoints, CountFromTheFirstSourcesFirstFinish) {
  const std::vector<StampedPoint> points = stamped_points(stamped(), shape());
  const StampedPoint* own = find(points, 1, "finish_posted");
  ASSERT_NE(own, nullptr);
  EXPECT_EQ(own->role, "attention");
  EXPECT_EQ(own->events, 2U);
  EXPECT_DOUBLE_EQ(own->first_us, 0.0);
  EXPECT_DOUBLE_EQ(own->last_us, 3.0);
  const StampedPoint* other = find(points, 2, "finish_posted");
  ASSERT_NE(other, nullptr);
  EXPECT_DOUBLE_EQ(other->first_us, -0.5);  // the other source was earlier
  const StampedPoint* done = find(points, 0, "channel_done");
  ASSERT_NE(done, nullptr);
  EXPECT_EQ(done->role, "ffn");
  EXPECT_DOUBLE_EQ(done->median_us, 5.0);
  const StampedPoint* matched = find(points, 1, "finish_matched");
  ASSERT_NE(matched, nullptr);
  EXPECT_DOUBLE_EQ(matched->median_us, 8.0);
  EXPECT_DOUBLE_EQ(matched->last_us, 10.0);
  EXPECT_EQ(find(points, 2, "finish_matched"), nullptr);  // 0: no such word was seen
  EXPECT_EQ(find(points, 1, "row_posted"), nullptr);      // the simulator has no such step
}

TEST(StampedPoints, AStepThatLeftItsRingIsNotShown) {
  kernels::RunResult result = stamped();
  std::vector<kernels::Stamp> many(kernels::kRingStamps,
                                   {1'000'006'000, kernels::Point::row_forwarded, 0});
  result.stamps.push_back(warp("ffn_dispatch", 0, many));
  const std::vector<StampedPoint> points = stamped_points(result, shape());
  EXPECT_EQ(find(points, 0, "row_forwarded"), nullptr);
  EXPECT_NE(find(points, 0, "channel_done"), nullptr);
}

TEST(StampedPoints, NoneWithoutAZero) {
  EXPECT_TRUE(stamped_points(kernels::RunResult{}, shape()).empty());
}

}  // namespace
}  // namespace fanin::experiments
