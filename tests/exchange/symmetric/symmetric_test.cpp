// The hybrid exchange with stock kernels.
#include <gtest/gtest.h>

#include "fanin/model/operations.hpp"
#include "fanin/model/simulate.hpp"

namespace fanin::model {
namespace {

Exchange stock(int sources, int tokens, int sms = 24) {
  Exchange exchange;
  exchange.protocol = Protocol::symmetric;
  exchange.attention_ranks = 4 * sources;
  exchange.tokens = tokens;
  exchange.transport_sms = sms;
  return exchange;
}

SimulationResult run(const Exchange& exchange, bool reference = false) {
  SimulationOptions options;
  options.reference = reference;
  return simulate(exchange, {}, options);
}

TEST(Symmetric, CountersEqualClosedForms) {
  for (const int sources : {1, 2, 3}) {
    for (const int tokens : {1, 5, 64, 300}) {
      for (const int sms : {8, 24, 48}) {
        const Exchange exchange = stock(sources, tokens, sms);
        EXPECT_EQ(run(exchange).operations, operation_counts(exchange))
            << sources << ' ' << tokens << ' ' << sms;
      }
    }
  }
}

TEST(Symmetric, EveryPairOfDomainsExchangesFinishes) {
  const OperationCounts counts = operation_counts(stock(3, 1));
  // N = 4 domains, C = 192: a finish a channel, an entry signal and 2 counts for each of 3 others.
  EXPECT_EQ(counts.at("attention.nic.outbound.dispatch").at("fetch_add"), 3 * (192 + 1));
  EXPECT_EQ(counts.at("attention.nic.inbound.dispatch").at("fetch_add"), 3 * (192 + 1));
  EXPECT_EQ(counts.at("ffn.nic.outbound.dispatch").at("count_write"), 3 * 2);
  EXPECT_EQ(counts.at("ffn.nic.inbound.dispatch").at("row_write"), 3);
  EXPECT_EQ(counts.at("attention.nic.inbound.combine").at("row_write"), 1);
}

TEST(Symmetric, IsSlowerThanRole) {
  for (const int sources : {1, 3}) {
    for (const int tokens : {1, 64}) {
      Exchange exchange = stock(sources, tokens);
      const Picoseconds symmetric = run(exchange).exchange;
      exchange.protocol = Protocol::role;
      EXPECT_GT(symmetric, run(exchange).exchange);
    }
  }
}

TEST(Symmetric, CostGrowsFasterWithSourcesThanRole) {
  const auto growth = [](Protocol protocol) {
    Exchange few = stock(1, 1);
    Exchange many = stock(3, 1);
    few.protocol = many.protocol = protocol;
    return run(many).exchange - run(few).exchange;
  };
  EXPECT_GT(growth(Protocol::symmetric), growth(Protocol::role));
}

TEST(Symmetric, ShortCutsGiveTheSameTimes) {
  for (const int sources : {1, 2}) {
    for (const int tokens : {1, 20}) {
      EXPECT_EQ(run(stock(sources, tokens)).exchange, run(stock(sources, tokens), true).exchange);
    }
  }
}

TEST(Symmetric, CriticalPathSumsToTheExchange) {
  const SimulationResult result = run(stock(2, 32));
  Picoseconds sum;
  for (const CriticalShare& share : result.critical_path) sum += share.time;
  EXPECT_EQ(sum, result.exchange);
}

TEST(Symmetric, EveryGpuHasFourKernels) {
  const SimulationResult result = run(stock(2, 8));
  // One rail stands for all four.
  EXPECT_EQ(result.kernels.size(), 3U * 4U);
}

TEST(Symmetric, RoutingTableDoesNotChangeTheSignals) {
  Exchange exchange = stock(1, 6);
  auto table = std::make_shared<RoutingTable>();
  table->top_k = exchange.top_k;
  table->tokens = exchange.tokens;
  table->attention_ranks = exchange.attention_ranks;
  for (int i = 0; i < exchange.tokens * exchange.attention_ranks * exchange.top_k; ++i) {
    table->experts.push_back((i * 37) % exchange.experts);
  }
  exchange.routing = table;
  EXPECT_EQ(run(exchange).operations, operation_counts(exchange));
}

}  // namespace
}  // namespace fanin::model
