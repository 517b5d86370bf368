// The competing-resources law from mechanisms: T = a + max(b·C·S, e·C, w).
#include <gtest/gtest.h>

#include "exchange_fixture.hpp"

namespace fanin::model {
namespace {

/// Only a responder's fetch-add costs. The FFN's NIC executes C·S in dispatch; each Attention NIC,
/// of the same kind, C in combine, which fix 7 reduces to one release.
TEST(LawShape, InboundAtomicAloneIsExactlyProportionalToChannelsTimesSources) {
  hw::Profile profile = free_profile();
  set(profile, "nic.responder.fetch_add", 27.0);
  for (const int sources : {1, 2, 3, 8}) {
    for (const int sms : {8, 16, 24, 48}) {
      const std::int64_t channels = std::int64_t{8} * sms;
      Exchange exchange = hybrid(sources, sms, 0);
      EXPECT_EQ(period(exchange, profile).count, 27000 * (channels * sources + channels));
      exchange.fixes = {{7, {}}};
      EXPECT_EQ(period(exchange, profile).count, 27000 * (channels * sources + 1));
    }
  }
}

/// Only the Attention requester's fetch-add costs: it grows with C, not with S. The FFN's
/// requester, the same kind of NIC, then serves C·S in combine; fix 7 takes those away.
TEST(LawShape, SenderSideGrowsWithChannelsAlone) {
  hw::Profile profile = free_profile();
  set(profile, "nic.requester.fetch_add", 46.0);
  for (const int sources : {1, 3}) {
    for (const int sms : {8, 24}) {
      Exchange exchange = hybrid(sources, sms, 0);
      exchange.fixes = {{7, {}}};
      const std::int64_t channels = std::int64_t{8} * sms;
      // In combine one release for each source is left, and they leave one after another.
      EXPECT_EQ(period(exchange, profile).count, 46000 * (channels + sources));
    }
  }
}

/// The chain of a channel with rows is the floor: it does not depend on channels.
TEST(LawShape, ChainIsAFloorThatDoesNotDependOnChannels) {
  hw::Profile profile = free_profile();
  set(profile, "hybrid.combine_chain_row", 10.0);
  const Picoseconds few = period(hybrid(3, 8, 1), profile);
  const Picoseconds many = period(hybrid(3, 48, 1), profile);
  EXPECT_EQ(few, many);
  EXPECT_GE(few, from_us(30.0));
  EXPECT_LT(few, from_us(30.1));
}

/// Resources compete: the time follows the larger of drain and chain, not their sum.
TEST(LawShape, DrainAndChainRunSideBySide) {
  hw::Profile drain = free_profile();
  set(drain, "nic.requester.fetch_add", 46.0);
  hw::Profile chain = free_profile();
  set(chain, "hybrid.combine_chain_row", 10.0);
  hw::Profile both = drain;
  set(both, "hybrid.combine_chain_row", 10.0);
  const Exchange exchange = hybrid(3, 24, 1);
  const double sum = period(exchange, drain).us() + period(exchange, chain).us();
  const double together = period(exchange, both).us();
  EXPECT_LT(together, sum - 20.0);
  EXPECT_GE(together, period(exchange, chain).us());
  EXPECT_GE(together, period(exchange, drain).us());
}

}  // namespace
}  // namespace fanin::model
