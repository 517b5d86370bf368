#include "fanin/model/operations.hpp"

#include <gtest/gtest.h>

#include "support.hpp"

namespace fanin::model::test {
namespace {

TEST(TrainOperations, CountersEqualClosedForms) {
  int cases = 0;
  for (const auto& [attention, ffn] : {std::pair{3, 1}, {2, 2}, {1, 3}, {4, 4}}) {
    for (const int tokens : {1, 7, 128, 2048}) {
      for (const int sms : {8, 24, 64}) {
        for (const Protocol protocol : {Protocol::role, Protocol::symmetric}) {
          for (const ExitMode exit : {ExitMode::per_cta, ExitMode::grid_sync}) {
            Exchange exchange = domain(attention, ffn, tokens, sms);
            exchange.protocol = protocol;
            exchange.exit = exit;
            exchange.ffn_combine_sms = 48;
            EXPECT_EQ(simulate(exchange, {}, {}).operations, train_operation_counts(exchange));
            ++cases;
          }
        }
      }
    }
  }
  for (const int sources : {1, 2, 3}) {
    for (const int tokens : {1, 7, 128, 2048}) {
      const Exchange exchange = direct(sources, tokens);
      EXPECT_EQ(simulate(exchange, {}, {}).operations, train_operation_counts(exchange));
      ++cases;
    }
  }
  EXPECT_EQ(cases, 204);
}

TEST(TrainOperations, CountersEqualClosedFormsOfATable) {
  for (Exchange exchange : {domain(3, 1, 50), domain(2, 2, 50), domain(1, 3, 50), direct(2, 50)}) {
    exchange.routing = table_of(exchange);
    EXPECT_EQ(simulate(exchange, {}, {}).operations, train_operation_counts(exchange));
  }
}

TEST(TrainOperations, OneFfnGpuTakesEveryToken) {
  const OperationCounts counts = train_operation_counts(domain(3, 1, 512));
  EXPECT_EQ(counts.at("ffn.nvlink.inbound.dispatch").at("row_write"), 3 * 512);
  EXPECT_EQ(counts.at("ffn.nvlink.inbound.dispatch").at("count_add"), 3 * 128);
  EXPECT_EQ(counts.at("ffn.nvlink.inbound.dispatch").at("arrival"), 3 * 24);
  EXPECT_EQ(counts.at("attention.nvlink.outbound.dispatch").at("row_write"), 512);
  EXPECT_EQ(counts.at("attention.nvlink.inbound.combine").at("arrival"), 24);
  EXPECT_EQ(counts.at("ffn.nvlink.inbound.dispatch").count("barrier_signal"), 0U);
}

}  // namespace
}  // namespace fanin::model::test
