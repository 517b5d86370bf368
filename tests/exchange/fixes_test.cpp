#include "fanin/model/fixes.hpp"

#include <gtest/gtest.h>

#include "exchange_fixture.hpp"
#include "fanin/hw/error.hpp"
#include "fanin/model/fixes_text.hpp"
#include "fanin/model/operations.hpp"

namespace fanin::model {
namespace {

std::int64_t total(const OperationCounts& counts) {
  std::int64_t sum = 0;
  for (const auto& [resource, verbs] : counts) {
    for (const auto& [verb, count] : verbs) sum += count;
  }
  return sum;
}

TEST(Fixes, NeverAddOperations) {
  for (const char* fix : {"1", "1:at=exit", "2", "3:sms=8", "4", "5", "6", "8", "9"}) {
    for (const int tokens : {1, 30}) {
      Exchange exchange = hybrid(3, 24, tokens);
      const std::int64_t before = total(operation_counts(exchange));
      exchange.fixes = parse_fixes(fix);
      EXPECT_LE(total(operation_counts(exchange)), before) << fix;
    }
  }
}

/// Fix 7 posts a release where every channel carries rows: one operation more for each pair.
TEST(Fixes, ElisionCostsOneReleaseWhereNothingIsEmpty) {
  Exchange exchange = hybrid(3, 24, 192);
  const std::int64_t before = total(operation_counts(exchange));
  exchange.fixes = parse_fixes("7");
  EXPECT_EQ(total(operation_counts(exchange)), before + 3 + 1);
}

TEST(Fixes, ElidingTheDrainSavesItWhereTheDrainBounds) {
  hw::Profile profile = free_profile();
  set(profile, "nic.requester.fetch_add", 46.0);
  Exchange exchange = hybrid(3, 24, 0);
  const Picoseconds before = period(exchange, profile);
  exchange.fixes = parse_fixes("7");
  // 576 finishes at the FFN's requester, less three releases.
  EXPECT_EQ((before - period(exchange, profile)).count, 46000 * (576 - 3));
}

TEST(Fixes, RotationSpreadsTheRowsOfAllSources) {
  hw::Profile profile = free_profile();
  set(profile, "hybrid.combine_chain_row", 10.0);
  Exchange exchange = hybrid(3, 24, 1);
  const Picoseconds together = period(exchange, profile);
  exchange.fixes = parse_fixes("4:k=8");
  const Picoseconds apart = period(exchange, profile);
  EXPECT_NEAR((together - apart).us(), 20.0, 0.1);
}

TEST(Fixes, RotationCollidesWhereTheProtocolSaysSo) {
  // C = 64, U = 4, k = 8: sources 0 and 2 ride the same channel.
  hw::Profile profile = free_profile();
  set(profile, "hybrid.combine_chain_row", 10.0);
  Exchange exchange = hybrid(3, 8, 1);
  exchange.fixes = parse_fixes("4:k=8");
  EXPECT_NEAR(period(exchange, profile).us(), 20.0, 0.1);
}

TEST(Fixes, DoorbellsAreAllThatBatchingSaves) {
  hw::Profile profile = free_profile();
  set(profile, "nic.requester.fetch_add", 40.0);
  set(profile, "nic.requester.doorbell_share", 0.0);
  Exchange exchange = hybrid(1, 8, 0);
  const Picoseconds before = period(exchange, profile);
  exchange.fixes = parse_fixes("5:role=attention");
  EXPECT_EQ(period(exchange, profile), before);
  set(profile, "nic.requester.doorbell_share", 0.5);
  // Of each SM's eight finishes one rings.
  EXPECT_EQ((before - period(exchange, profile)).count, 20000 * 7 * 8);
}

/// Posted early, the empty finishes of an SM whose first channel has a row still ring once.
TEST(Fixes, EarlyBatchesRingOnceAnSm) {
  hw::Profile profile = free_profile();
  set(profile, "nic.requester.fetch_add", 40.0);
  set(profile, "nic.requester.doorbell_share", 0.5);
  Exchange exchange = hybrid(1, 8, 1);
  exchange.fixes = parse_fixes("1");
  const Picoseconds before = period(exchange, profile);
  exchange.fixes = parse_fixes("1+5:role=ffn");
  // 63 empty finishes, of which one an SM rings.
  EXPECT_EQ((before - period(exchange, profile)).count, 20000 * (63 - 8));
}

/// A list whose rows are counted ends with them: a finish that would carry no row is not sent.
TEST(Fixes, CountsEndListsWithoutAFinish) {
  Exchange exchange = hybrid(1, 8, 64 * 3);
  exchange.fixes = parse_fixes("8:occupancy=bitmap");
  const OperationCounts bitmap = operation_counts(exchange);
  exchange.fixes = parse_fixes("8:occupancy=count");
  const OperationCounts count = operation_counts(exchange);
  const auto fetch_adds = [](const OperationCounts& counts) {
    return counts.at("ffn.nic.inbound.dispatch").at("fetch_add");
  };
  // Three rows a channel, interval three: one tail each, and with the bitmap a finish.
  EXPECT_EQ(fetch_adds(bitmap), 2 * 64);
  EXPECT_EQ(fetch_adds(count), 64);
  EXPECT_EQ(simulate(exchange, free_profile()).operations, count);
}

TEST(Fixes, RefusedWithTheReason) {
  const Exchange exchange = hybrid(3, 24, 1);
  const auto first = [&](const char* fixes) {
    const std::vector<std::string> problems = fix_problems(exchange, parse_fixes(fixes));
    return problems.empty() ? std::string() : problems.front();
  };
  EXPECT_EQ(first("1+7"), "fix 1: not together with 7: 7 leaves no empty finish to post early");
  EXPECT_EQ(first("7+8"), "fix 7: not together with 8: 8 includes 7");
  EXPECT_EQ(first("8+9"), "fix 8: not together with 9: 8 leaves no empty finish to write inline");
  EXPECT_EQ(first("4:stride=8"), "fix 4: has no option 'stride'; expected k = a whole number");
  EXPECT_EQ(first("1:at=start"), "fix 1: at=start; expected entry or exit");
  EXPECT_EQ(first("3:sms=0"), "fix 3: sms=0; expected a whole number from 1 to 1024");
  EXPECT_EQ(first("1+2+3+4+5+6+9"), "");
  Exchange refused = exchange;
  refused.fixes = parse_fixes("7+8");
  EXPECT_THROW(simulate(refused, {}), InputError);
}

}  // namespace
}  // namespace fanin::model
