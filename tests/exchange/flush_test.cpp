// The flush before combine's finishes: one round trip after a channel's rows, nothing else.
#include <gtest/gtest.h>

#include "exchange_fixture.hpp"
#include "fanin/model/operations.hpp"
#include "fanin/model/preset.hpp"

namespace fanin::model {
namespace {

/// Queues do not order by themselves, so that the flush is all that holds a finish back.
hw::Profile unfenced() {
  hw::Profile profile = free_profile();
  set(profile, "nic.queue.fence", 0.0);
  set(profile, "nic.wire_latency", 2.0);
  set(profile, "nic.queue.fetch_add_round_trip", 5.0);
  return profile;
}

TEST(Flush, CostsARoundTripBehindRows) {
  Exchange exchange = hybrid(1, 8, 1);
  const Picoseconds before = period(exchange, unfenced());
  exchange.combine_flush = true;
  // The row's own service is a twelfth of a microsecond at line rate, which is free here.
  EXPECT_NEAR((period(exchange, unfenced()) - before).us(), 5.0, 1e-3);
}

TEST(Flush, CostsNothingWithoutRows) {
  for (const Protocol protocol : {Protocol::role, Protocol::symmetric}) {
    Exchange exchange = hybrid(2, 8, 0);
    exchange.protocol = protocol;
    const Picoseconds before = period(exchange, unfenced());
    exchange.combine_flush = true;
    EXPECT_EQ(period(exchange, unfenced()), before);
  }
}

/// A fence holds the finish to the row's own peer back as long; where one source takes all of a
/// channel's rows nothing is left for the flush to cost.
TEST(Flush, FencedQueuesHideItFromTheRowsPeer) {
  hw::Profile fenced = unfenced();
  set(fenced, "nic.queue.fence", 1.0);
  Exchange exchange = hybrid(1, 8, 1);
  const Picoseconds before = period(exchange, fenced);
  exchange.combine_flush = true;
  EXPECT_EQ(period(exchange, fenced), before);
}

TEST(Flush, ChangesNoCount) {
  Exchange exchange = hybrid(3, 8, 50);
  const OperationCounts before = simulate(exchange, {}).operations;
  exchange.combine_flush = true;
  EXPECT_EQ(simulate(exchange, {}).operations, before);
}

TEST(Flush, ShortCutsGiveTheSameTimes) {
  SimulationOptions stepwise;
  stepwise.reference = true;
  for (const Protocol protocol : {Protocol::role, Protocol::symmetric}) {
    for (const double fence : {0.0, 1.0}) {
      for (const double sm : {0.0, 0.7}) {
        for (const int tokens : {1, 8, 70}) {
          Exchange exchange = hybrid(3, 5, tokens);
          exchange.protocol = protocol;
          exchange.combine_flush = true;
          exchange.queues = 9;  // several channels share a context
          hw::Profile profile;
          set(profile, "nic.queue.fence", fence);
          set(profile, "hybrid.combine_row_sm", sm);
          EXPECT_EQ(simulate(exchange, profile).exchange,
                    simulate(exchange, profile, stepwise).exchange)
              << to_string(protocol) << " fence " << fence << " sm " << sm << " T " << tokens;
        }
      }
    }
  }
}

TEST(Flush, CriticalPathSumsToTheExchange) {
  Exchange exchange = hybrid(2, 8, 40);
  exchange.combine_flush = true;
  const SimulationResult result = simulate(exchange, unfenced());
  Picoseconds sum;
  for (const CriticalShare& share : result.critical_path) sum += share.time;
  EXPECT_EQ(sum, result.exchange);
}

TEST(Flush, IsStocksAndNotTheRecordedBuilds) {
  Exchange exchange;
  apply_preset("deepep-v2", exchange);
  EXPECT_TRUE(exchange.combine_flush);
  apply_preset("recorded", exchange);
  EXPECT_FALSE(exchange.combine_flush);
  Exchange domain;
  domain.path = Path::nvlink;
  apply_preset("deepep-v2", domain);
  EXPECT_FALSE(domain.combine_flush);
  domain.combine_flush = true;
  ASSERT_EQ(domain.validate().size(), 1U);
  EXPECT_EQ(domain.validate()[0].rfind("combine_flush", 0), 0U);
}

}  // namespace
}  // namespace fanin::model
