// When rows and signals leave, and when what was written is there.
#include <gtest/gtest.h>

#include <algorithm>

#include "exchange_fixture.hpp"

namespace fanin::model {
namespace {

PointTimes find(const Exchange& exchange, const hw::Profile& profile, int device,
                const std::string& point) {
  SimulationOptions options;
  options.record_points = true;
  const SimulationResult result = simulate(exchange, profile, options);
  for (const PointTimes& found : result.points) {
    if (found.device == device && found.point == point) return found;
  }
  throw std::runtime_error("no " + point);
}

/// 100 ns a row at the requester; a signal 1 us behind its rows.
hw::Profile with_signal_gap() {
  hw::Profile profile = free_profile();
  set(profile, "nic.requester.write", 100.0);
  set(profile, "hybrid.dispatch_signal", 1.0);
  set(profile, "nic.queue.fence", 0.0);
  return profile;
}

TEST(PostOrder, RowsThatLeaveAtOnceGoAheadOfAllSignals) {
  const Exchange exchange = hybrid(1, 8, 64);  // one row a channel
  hw::Profile profile = with_signal_gap();
  const PointTimes with_doorbell = find(exchange, profile, 0, "tail_seen");
  set(profile, "nic.queue.row_doorbell", 0.0);
  const PointTimes at_once = find(exchange, profile, 0, "tail_seen");
  // With the doorbell a signal waits for its own row alone; else for the rows of all channels and
  // the two count WRITEs, which have begun 1 us earlier.
  EXPECT_EQ(with_doorbell.first.count, from_ns(100.0).count);
  EXPECT_EQ(with_doorbell.last.count, from_ns(64 * 100.0).count);
  EXPECT_EQ(at_once.first.count, at_once.last.count);
  EXPECT_EQ(at_once.last.count, (from_ns(66 * 100.0) - from_us(1.0)).count);
}

TEST(PostOrder, ShortCutsDoNotMoveSignals) {
  for (const int tokens : {1, 64, 200}) {
    hw::Profile profile = with_signal_gap();
    set(profile, "nic.queue.row_doorbell", 0.0);
    set(profile, "hybrid.combine_signal", 0.7);
    set(profile, "nic.responder.write_latency", 2.0);
    SimulationOptions stepwise;
    stepwise.reference = true;
    const Exchange exchange = hybrid(2, 8, tokens);
    EXPECT_EQ(simulate(exchange, profile).exchange, simulate(exchange, profile, stepwise).exchange);
  }
}

TEST(PostOrder, WhatWasWrittenIsSeenLater) {
  const Exchange exchange = hybrid(1, 8, 1);
  hw::Profile profile = free_profile();
  const PointTimes tails = find(exchange, profile, 0, "tail_seen");
  const PointTimes counts = find(exchange, profile, 0, "counts_seen");
  set(profile, "nic.responder.write_latency", 2.0);
  const PointTimes later = find(exchange, profile, 0, "tail_seen");
  EXPECT_EQ(later.first, tails.first);  // an empty channel wrote nothing
  EXPECT_EQ((later.last - tails.last).count, from_us(2.0).count);
  EXPECT_EQ((find(exchange, profile, 0, "counts_seen").last - counts.last).count,
            from_us(2.0).count);
}

TEST(PostOrder, CombinesSignalWaitsBehindItsLastRow) {
  const Exchange exchange = hybrid(1, 8, 1);
  hw::Profile profile = free_profile();
  const Picoseconds base = period(exchange, profile);
  set(profile, "hybrid.combine_signal", 3.0);
  EXPECT_EQ((period(exchange, profile) - base).count, from_us(3.0).count);
}

}  // namespace
}  // namespace fanin::model
