// The fixes on the exchange whose every GPU sends and receives in both phases.
#include <gtest/gtest.h>

#include <algorithm>
#include <memory>
#include <string>

#include "../exchange_fixture.hpp"
#include "fanin/hw/error.hpp"
#include "fanin/model/fixes.hpp"
#include "fanin/model/fixes_text.hpp"
#include "fanin/model/operations.hpp"

namespace fanin::model {
namespace {

constexpr const char* kAllowed[] = {"1:at=entry",
                                    "1:at=exit",
                                    "3:sms=16",
                                    "4",
                                    "4:k=1",
                                    "5:role=both",
                                    "5:role=attention",
                                    "5:role=ffn",
                                    "6",
                                    "7",
                                    "8:occupancy=bitmap",
                                    "8:occupancy=count",
                                    "9",
                                    "10",
                                    "11",
                                    "12",
                                    "13",
                                    "10+11+12+13",
                                    "1:at=exit+4+5+6+9+10",
                                    "4+7+9+10+11+12+13",
                                    "4+6+8+10+11+12"};

Exchange stock(int sources, int tokens, const char* fixes = "none", int sms = 24) {
  Exchange exchange = hybrid(sources, sms, tokens);
  exchange.protocol = Protocol::symmetric;
  exchange.fixes = parse_fixes(fixes);
  return exchange;
}

/// Everything takes a little, so that halves and GPUs drift apart.
hw::Profile some_profile() {
  hw::Profile profile;
  set(profile, "nic.requester.fetch_add", 46.0);
  set(profile, "nic.responder.fetch_add", 27.0);
  return profile;
}

std::int64_t fetch_adds(const OperationCounts& counts, const char* resource) {
  const auto found = counts.find(resource);
  if (found == counts.end() || found->second.count("fetch_add") == 0) return 0;
  return found->second.at("fetch_add");
}

TEST(SymmetricFixes, EachRunsAndCountsWhatItsClosedFormSays) {
  for (const char* fixes : kAllowed) {
    for (const int sources : {1, 3}) {
      for (const int tokens : {0, 1, 5, 64, 300}) {
        const Exchange exchange = stock(sources, tokens, fixes);
        ASSERT_EQ(fix_problems(exchange, exchange.fixes), std::vector<std::string>{}) << fixes;
        const SimulationResult result = simulate(exchange, some_profile());
        EXPECT_EQ(result.operations, operation_counts(exchange))
            << fixes << ' ' << sources << ' ' << tokens;
      }
    }
  }
}

TEST(SymmetricFixes, ShortCutsGiveTheSameTimes) {
  SimulationOptions reference;
  reference.reference = true;
  for (const char* fixes : kAllowed) {
    for (const int tokens : {1, 20}) {
      const Exchange exchange = stock(2, tokens, fixes);
      EXPECT_EQ(simulate(exchange, some_profile()).exchange,
                simulate(exchange, some_profile(), reference).exchange)
          << fixes << ' ' << tokens;
    }
  }
}

TEST(SymmetricFixes, SeveralFfnDomainsAndTableRoutingEndToo) {
  for (const char* fixes : {"1:at=exit", "7", "8", "9", "10+11+12+13"}) {
    Exchange exchange = stock(2, 6, fixes);
    exchange.ffn_ranks = 8;
    auto table = std::make_shared<RoutingTable>();
    table->top_k = exchange.top_k;
    table->tokens = exchange.tokens;
    table->attention_ranks = exchange.attention_ranks;
    for (int i = 0; i < exchange.tokens * exchange.attention_ranks * exchange.top_k; ++i)
      table->experts.push_back((i * 37) % exchange.experts);
    exchange.routing = table;
    EXPECT_EQ(simulate(exchange, some_profile()).operations, operation_counts(exchange)) << fixes;
  }
}

/// S = 3, one FFN domain, C = 192, one token: what each elision takes off one NIC.
TEST(SymmetricFixes, ElisionsRemoveWhatTheySay) {
  const OperationCounts all = operation_counts(stock(3, 1));
  const auto removed = [&](const char* fixes, const char* resource) {
    return fetch_adds(all, resource) - fetch_adds(operation_counts(stock(3, 1, fixes)), resource);
  };
  // To and from two other Attention domains, in both phases.
  for (const char* resource : {"attention.nic.outbound.dispatch", "attention.nic.inbound.dispatch",
                               "attention.nic.outbound.combine", "attention.nic.inbound.combine"}) {
    EXPECT_EQ(removed("10", resource), 2 * 192) << resource;
  }
  EXPECT_EQ(removed("10", "ffn.nic.inbound.dispatch"), 0);
  // A single FFN domain has no other: its own finishes stay in its memory.
  EXPECT_EQ(removed("11", "ffn.nic.outbound.dispatch"), 0);
  EXPECT_EQ(removed("12", "attention.nic.outbound.combine"), 192);
  EXPECT_EQ(removed("12", "ffn.nic.inbound.combine"), 3 * 192);
  EXPECT_EQ(removed("12", "ffn.nic.inbound.dispatch"), 0);
  EXPECT_EQ(removed("13", "ffn.nic.outbound.dispatch"), 3 * 192);
  EXPECT_EQ(removed("13", "attention.nic.inbound.dispatch"), 192);
  EXPECT_EQ(removed("13", "ffn.nic.outbound.combine"), 0);
}

TEST(SymmetricFixes, SeveralFfnDomainsElideTheirOwnFinishes) {
  Exchange exchange = stock(1, 1);
  exchange.ffn_ranks = 12;
  exchange.experts = 192;
  const OperationCounts all = operation_counts(exchange);
  exchange.fixes = parse_fixes("11");
  const OperationCounts left = operation_counts(exchange);
  for (const char* resource : {"ffn.nic.outbound.dispatch", "ffn.nic.inbound.dispatch",
                               "ffn.nic.outbound.combine", "ffn.nic.inbound.combine"}) {
    EXPECT_EQ(fetch_adds(all, resource) - fetch_adds(left, resource), 2 * 192) << resource;
  }
}

/// With all elisions what is left beside the role exchange's operations are the entry barriers, and
/// the count WRITEs that every rank sends to all.
TEST(SymmetricFixes, AllElisionsLeaveTheRoleExchangesSignals) {
  OperationCounts left = operation_counts(stock(3, 5, "10+11+12+13"));
  Exchange role = stock(3, 5);
  role.protocol = Protocol::role;
  OperationCounts roles = operation_counts(role);
  for (auto& [resource, counts] : left) {
    counts.erase("count_write");
    counts["fetch_add"] -= 3;  // one signal to, or from, each of three other domains
    roles[resource].erase("count_write");
    for (const auto& [verb, count] : counts)
      EXPECT_EQ(count, roles[resource][verb]) << resource << ' ' << verb;
  }
}

TEST(SymmetricFixes, ElisionNeverCostsTime) {
  for (const int tokens : {1, 64}) {
    const Picoseconds before = simulate(stock(3, tokens), some_profile()).exchange;
    for (const char* fixes : {"10", "11", "12", "13", "10+11+12+13"}) {
      EXPECT_LE(simulate(stock(3, tokens, fixes), some_profile()).exchange, before) << fixes;
    }
  }
}

/// The drain of A→A finishes at an Attention NIC is all that takes time here.
TEST(SymmetricFixes, ElisionSavesTheDrainWhereTheDrainBounds) {
  hw::Profile profile = free_profile();
  set(profile, "nic.requester.fetch_add", 40.0);
  const Picoseconds before = simulate(stock(3, 0), profile).exchange;
  const Picoseconds after = simulate(stock(3, 0, "10+11+12+13"), profile).exchange;
  // A NIC posts C finishes to three others in each phase; without the elided ones the Attention
  // NIC posts C in dispatch and the FFN NIC 3·C in combine.
  EXPECT_EQ((before - after).count, 40000 * (2 * 3 * 192 - 192 - 3 * 192));
}

/// A kernel ends when both of its halves have: with nothing to wait for in combine, a rank must
/// not enter the next exchange while it still sends this one's rows.
TEST(SymmetricFixes, AKernelEndsWithItsLastHalf) {
  hw::Profile profile = free_profile();
  set(profile, "hybrid.combine_chain_row", 50.0);
  Exchange exchange = stock(1, 1, "10+11+12+13");
  const Picoseconds role_period = [&] {
    Exchange role = stock(1, 1);
    role.protocol = Protocol::role;
    return period(role, profile);
  }();
  EXPECT_GE(period(exchange, profile), role_period);
}

TEST(SymmetricFixes, RefusedWithTheReason) {
  const auto first = [](const Exchange& exchange, const char* fixes) {
    const std::vector<std::string> problems = fix_problems(exchange, parse_fixes(fixes));
    return problems.empty() ? std::string() : problems.front();
  };
  EXPECT_EQ(first(stock(3, 1), "2"),
            "fix 2: symmetric ranks have counts of their own; expected protocol role");
  EXPECT_EQ(first(hybrid(3, 24, 1), "10"),
            "fix 10: role kernels send no such finish; expected protocol symmetric");
  Exchange refused = stock(3, 1, "2");
  EXPECT_THROW(simulate(refused, {}), InputError);
}

}  // namespace
}  // namespace fanin::model
