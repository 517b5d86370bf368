// The published defaults of stock DeepEP V2: 12 SMs for 2 domains of 8 GPUs, 6 for 4.
#include "stock_sms.hpp"

#include <gtest/gtest.h>

namespace {

using fanin::experiments::stock_deepep_sms;

fanin::model::Exchange stock(int domains) {
  fanin::model::Exchange exchange;
  exchange.protocol = fanin::model::Protocol::symmetric;
  exchange.gpus_per_domain = 8;
  exchange.ffn_ranks = 8;
  exchange.attention_ranks = 8 * (domains - 1);
  exchange.experts = 256;
  exchange.top_k = 8;
  return exchange;
}

TEST(StockSms, PublishedDefaults) {
  EXPECT_EQ(stock_deepep_sms(stock(2)), 12);
  EXPECT_EQ(stock_deepep_sms(stock(4)), 6);
}

TEST(StockSms, NoTokenCountInIt) {
  fanin::model::Exchange exchange = stock(2);
  exchange.tokens = 512;
  EXPECT_EQ(stock_deepep_sms(exchange), 12);
}

TEST(StockSms, AtLeastFourAndEven) {
  for (int domains = 2; domains <= 32; ++domains) {
    const int sms = stock_deepep_sms(stock(domains));
    EXPECT_GE(sms, 4) << domains;
    EXPECT_EQ(sms % 2, 0) << domains;
  }
}

}  // namespace
