// The simulator's counters against the closed forms, and those against the protocol's own figures.
#include "fanin/model/operations.hpp"

#include <gtest/gtest.h>

#include "exchange_fixture.hpp"
#include "fanin/model/fixes.hpp"
#include "fanin/model/fixes_text.hpp"
#include "fanin/model/message_size.hpp"

namespace fanin::model {
namespace {

TEST(MessageSize, MatchesTheProtocolsFigures) {
  Exchange exchange;
  EXPECT_EQ(dispatch_row(exchange).count, 4224);
  EXPECT_EQ(combine_row(exchange).count, 4160);
  exchange.hidden = 7168;
  EXPECT_EQ(dispatch_row(exchange).count, 14464);
  EXPECT_EQ(combine_row(exchange).count, 14400);
  exchange.payload = Payload::fp8;
  EXPECT_EQ(dispatch_row(exchange).count, 7520);
}

TEST(Operations, OneTokenIsTheProtocolsCount) {
  for (const int sources : {1, 3}) {
    OperationCounts counts = operation_counts(hybrid(sources, 24, 1));
    EXPECT_EQ(counts["ffn.nic.inbound.dispatch"]["fetch_add"] +
                  counts["ffn.nic.outbound.combine"]["fetch_add"],
              sources == 1 ? 384 : 1152);
    EXPECT_EQ(counts["ffn.nic.inbound.dispatch"]["row_write"], sources);
    EXPECT_EQ(counts["ffn.nic.inbound.dispatch"]["count_write"], 2 * sources);
    EXPECT_EQ(counts["attention.nic.outbound.dispatch"]["fetch_add"], 192);
  }
}

TEST(Operations, SignalsAt512TokensFollowTheTailInterval) {
  const int expected[] = {256, 320, 256, 384};
  const int sms[] = {16, 24, 32, 48};
  for (int i = 0; i < 4; ++i) {
    EXPECT_EQ(operation_counts(hybrid(1, sms[i], 512))["ffn.nic.inbound.dispatch"]["fetch_add"],
              expected[i]);
  }
}

TEST(Operations, SimulatorCountsTheClosedForm) {
  const hw::Profile profile;
  for (const int sources : {1, 2, 5}) {
    for (const int sms : {4, 24}) {
      for (const int tokens : {0, 1, 7, 33, 200}) {
        for (const int interval : {1, 3, 6}) {
          Exchange exchange = hybrid(sources, sms, tokens);
          exchange.tail_interval = interval;
          EXPECT_EQ(simulate(exchange, profile).operations, operation_counts(exchange))
              << sources << " sources, " << sms << " SMs, " << tokens << " tokens, interval "
              << interval;
        }
      }
    }
  }
}

TEST(Operations, SeveralFfnDomainsAndOtherCombineChannels) {
  Exchange exchange = hybrid(2, 8, 50);
  exchange.ffn_ranks = 12;
  exchange.experts = 96;
  exchange.ffn_combine_sms = 5;
  EXPECT_EQ(simulate(exchange, {}).operations, operation_counts(exchange));
  EXPECT_EQ(operation_counts(exchange)["attention.nic.inbound.combine"]["fetch_add"], 3 * 5 * 8);
}

TEST(Operations, EveryFixCountsItsClosedForm) {
  for (const char* fix : {"1", "1:at=exit", "2", "3:sms=8", "4:k=5", "5", "6", "7", "8",
                          "8:occupancy=count", "9", "4+8", "4+7+9", "1+9", "3:sms=16+4+8"}) {
    for (const int tokens : {0, 1, 40}) {
      Exchange exchange = hybrid(3, 24, tokens);
      exchange.fixes = parse_fixes(fix);
      EXPECT_EQ(simulate(exchange, {}).operations, operation_counts(exchange)) << "fix " << fix;
    }
  }
}

TEST(Operations, ElisionLeavesOneReleaseAndTheRowsFinishes) {
  Exchange exchange = hybrid(3, 24, 1);
  exchange.fixes = parse_fixes("8");
  OperationCounts counts = operation_counts(exchange);
  EXPECT_EQ(counts["ffn.nic.inbound.dispatch"]["fetch_add"], 3);
  EXPECT_EQ(counts["ffn.nic.outbound.combine"]["fetch_add"], 6);
}

}  // namespace
}  // namespace fanin::model
