// Every short cut gives the time of one event for each operation, to the picosecond.
#include <gtest/gtest.h>

#include <memory>

#include "exchange_fixture.hpp"
#include "fanin/model/fixes_text.hpp"

namespace fanin::model {
namespace {

void expect_equal(const Exchange& exchange, const hw::Profile& profile, const std::string& what) {
  SimulationOptions reference;
  reference.reference = true;
  const SimulationResult fast = simulate(exchange, profile);
  const SimulationResult slow = simulate(exchange, profile, reference);
  EXPECT_EQ(fast.exchange, slow.exchange) << what;
  EXPECT_EQ(fast.operations, slow.operations) << what;
  EXPECT_LT(fast.events, slow.events) << what;
}

hw::Profile queue_limited() {
  hw::Profile profile;
  set(profile, "nic.queue.outstanding", 1);
  set(profile, "hybrid.forward_row", 0.0);
  set(profile, "hybrid.forward_row_warp", 1.5);
  set(profile, "hybrid.dispatch_row_sm", 0.68);
  set(profile, "hybrid.combine_chain_row", 3.9);
  set(profile, "hybrid.combine_round", 3.2);
  return profile;
}

TEST(Reference, EqualOverSourcesSmsAndTokens) {
  for (const int sources : {1, 2, 3}) {
    for (const int sms : {8, 24, 40}) {
      for (const int tokens : {0, 1, 8, 70}) {
        const std::string what =
            std::to_string(sources) + "/" + std::to_string(sms) + "/" + std::to_string(tokens);
        expect_equal(hybrid(sources, sms, tokens), {}, what);
        expect_equal(hybrid(sources, sms, tokens), queue_limited(), what + " limited queues");
      }
    }
  }
}

TEST(Reference, EqualForEveryFix) {
  for (const char* fix :
       {"1", "1:at=exit", "2", "3:sms=10", "4", "4:k=5", "5", "6", "7", "8", "9", "4+8", "5+7+9"}) {
    for (const int tokens : {1, 20}) {
      Exchange exchange = hybrid(3, 16, tokens);
      exchange.fixes = parse_fixes(fix);
      expect_equal(exchange, queue_limited(), fix);
    }
  }
}

TEST(Reference, EqualWithSeveralFfnDomainsShallowQueuesAndSharedSms) {
  Exchange exchange = hybrid(2, 6, 64);
  exchange.ffn_ranks = 8;
  exchange.queue_depth = 4;
  exchange.queues = 10;
  hw::Profile profile = queue_limited();
  set(profile, "hybrid.combine_row_sm", 0.7);
  set(profile, "nic.atomic_fence", 2.0);
  expect_equal(exchange, profile, "several domains");
}

/// Rails that differ: every one is simulated.
TEST(Reference, EqualWithARoutingTable) {
  Exchange exchange = hybrid(2, 8, 24);
  auto table = std::make_shared<RoutingTable>();
  table->top_k = exchange.top_k;
  table->tokens = exchange.tokens;
  table->attention_ranks = exchange.attention_ranks;
  std::uint32_t state = 12345;
  const int rows = exchange.attention_ranks * exchange.tokens;
  for (int i = 0; i < rows; ++i) {
    state = state * 1664525U + 1013904223U;
    const auto first = static_cast<int>((state >> 8) % 128U);
    for (int k = 0; k < exchange.top_k; ++k)
      table->experts.push_back((first + 5 * k) % exchange.experts);
  }
  exchange.routing = table;
  expect_equal(exchange, {}, "routing table");
}

TEST(Reference, TheSameRunTwiceIsTheSameToTheEvent) {
  const SimulationResult first = simulate(hybrid(3, 24, 100), {});
  const SimulationResult second = simulate(hybrid(3, 24, 100), {});
  EXPECT_EQ(first.exchange, second.exchange);
  EXPECT_EQ(first.events, second.events);
}

}  // namespace
}  // namespace fanin::model
