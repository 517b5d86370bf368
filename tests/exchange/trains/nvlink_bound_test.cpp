// The timing bounds in which the copy epilogue overlaps ingress, and what a late payload does to
// them.
#include <gtest/gtest.h>

#include "support.hpp"

namespace fanin::model::test {
namespace {

Picoseconds bound(int tokens, double delay_us) {
  Exchange exchange = domain(3, 1, tokens);
  exchange.collect_view = true;
  exchange.variant = Variant::expand_overlaps_ingress_bound;
  exchange.payload_start_delay_us = delay_us;
  return period(exchange);
}

TEST(OverlapBound, IsNoSlowerThanWaitingForRows) {
  for (const int tokens : {1, 128, 512, 2048}) {
    Exchange waits = domain(3, 1, tokens);
    waits.collect_view = true;
    EXPECT_LE(bound(tokens, 0.0), period(waits)) << tokens;
  }
}

TEST(OverlapBound, LatePayloadLetsCountsThroughAndIsFaster) {
  // Counts that need not share with rows arrive before them, so the epilogue starts early and hides
  // whole; its gain is larger than the delay.
  EXPECT_LT(bound(512, 3.0).us(), bound(512, 0.0).us() - 3.0);
  // Once all of the epilogue is hidden, more delay only costs.
  EXPECT_GT(bound(512, 8.0), bound(512, 3.0));
  EXPECT_NEAR((bound(512, 8.0) - bound(512, 3.0)).us(), 5.0, 0.5);
}

TEST(OverlapBound, LatePayloadOnlyCostsWhereTheEpilogueWaits) {
  Exchange waits = domain(3, 1, 512);
  const Picoseconds base = period(waits);
  waits.payload_start_delay_us = 3.0;
  EXPECT_NEAR((period(waits) - base).us(), 3.0, 1e-3);
}

TEST(OverlapBound, ShortDelayHidesBehindTheFloorAtOneToken) {
  EXPECT_NEAR((bound(1, 3.0) - bound(1, 0.0)).us(), 0.0, 0.2);
  EXPECT_GT(bound(1, 8.0), bound(1, 3.0));
}

}  // namespace
}  // namespace fanin::model::test
