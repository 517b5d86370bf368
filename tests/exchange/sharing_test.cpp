// How rows of several channels share the NIC that sends them, and the link of the scale-up warps.
#include <gtest/gtest.h>

#include "exchange_fixture.hpp"
#include "fanin/model/operations.hpp"

namespace fanin::model {
namespace {

hw::Profile unfenced() {
  hw::Profile profile = free_profile();
  set(profile, "nic.queue.fence", 0.0);
  return profile;
}

/// What 100 ns a copy add to an exchange whose scale-up warps take 100 us a round.
double copies_us(const Exchange& exchange, double shared) {
  hw::Profile profile = unfenced();
  set(profile, "hybrid.combine_link_shared", shared);
  set(profile, "hybrid.combine_round", 100.0);
  const Picoseconds without = period(exchange, profile);
  set(profile, "hybrid.combine_nvlink_row", 100.0);
  return (period(exchange, profile) - without).us();
}

TEST(CombineLink, SharedItAddsEveryRowOfEveryRound) {
  const double row = copies_us(hybrid(1, 8, 1), 1.0);
  EXPECT_GT(row, 0.1);
  // Eight warps, two rounds.
  EXPECT_NEAR(copies_us(hybrid(2, 8, 8), 1.0), 16.0 * row, 1e-4);
}

TEST(CombineLink, InTurnALaterRoundWaitsForItsOwnWarpOnly) {
  const double row = copies_us(hybrid(1, 8, 1), 0.0);
  // The last of eight warps, and then its own second row.
  EXPECT_NEAR(copies_us(hybrid(2, 8, 8), 0.0), 9.0 * row, 1e-4);
}

/// One SM, eight channels of three rows: 1 us a row on the line and in the forwarding SM.
hw::Profile slow_line(double in_turn) {
  hw::Profile profile = unfenced();
  set(profile, "nic.queue.row_doorbell", 1.0 - in_turn);
  set(profile, "nic.line_rate", 4.224);
  set(profile, "hybrid.forward_row", 1.0);
  return profile;
}

TEST(DispatchRows, InTurnTailsComeLateAndForwardingHidesLess) {
  // By doorbell the first tail comes after 3 rows, and forwarding ends 3 rows after the last of 24.
  // In turn it comes after 17, and 24 rows are left to forward.
  const Exchange exchange = hybrid(1, 1, 24);
  const Picoseconds by_doorbell = period(exchange, slow_line(0.0));
  const Picoseconds in_turn = period(exchange, slow_line(1.0));
  EXPECT_NEAR((in_turn - by_doorbell).us(), 14.0, 1e-3);
}

TEST(DispatchRows, InTurnChangesNoCountAndShortCutsGiveTheSameTimes) {
  SimulationOptions stepwise;
  stepwise.reference = true;
  for (const Protocol protocol : {Protocol::role, Protocol::symmetric}) {
    for (const double row_sm : {0.0, 0.5}) {
      Exchange exchange = hybrid(3, 8, 300);
      exchange.protocol = protocol;
      hw::Profile profile;
      set(profile, "hybrid.dispatch_row_sm", row_sm);
      const OperationCounts counts = simulate(exchange, profile).operations;
      set(profile, "nic.queue.row_doorbell", 0.0);
      const SimulationResult quick = simulate(exchange, profile);
      EXPECT_EQ(quick.operations, counts);
      EXPECT_EQ(quick.exchange, simulate(exchange, profile, stepwise).exchange);
    }
  }
}

}  // namespace
}  // namespace fanin::model
