// Stock DeepEP V2's choices against what its authors publish.
#include "fanin/model/deepep.hpp"

#include <gtest/gtest.h>

#include "fanin/model/preset.hpp"

namespace fanin::model {
namespace {

Exchange wide(Payload payload, int hidden) {
  Exchange exchange;
  exchange.experts = 256;
  exchange.payload = payload;
  exchange.hidden = hidden;
  return exchange;
}

TEST(DeepEp, PublishedDefaultSms) {
  EXPECT_EQ(deepep_v2_default_sms({2, 8, 256, 8}), 12);
  EXPECT_EQ(deepep_v2_default_sms({4, 8, 256, 8}), 6);
  EXPECT_EQ(deepep_v2_default_sms({2, 8, 256, 8}, false), 64);
}

/// One byte of expert rows over two domains of eight, worked out by hand from the published code.
TEST(DeepEp, DefaultSmsFollowThePublishedSums) {
  // top-1: one distinct domain and GPU. RDMA carries 1/2 at 50 GB/s, an SM writes 1 + 1/2 + 1.
  EXPECT_EQ(deepep_v2_default_sms({2, 8, 16, 1}), 8);  // 1.25 · (50 / 0.5) · 2.5 / 50 = 6.25
  // One domain: NVLink carries 7/8 at 430 GB/s, an SM writes 1.
  EXPECT_EQ(deepep_v2_default_sms({1, 8, 16, 1}), 14);  // 1.25 · (430 / 0.875) / 50 = 12.3
  // Direct: a send buffer is written besides, NVLink carries its domain's half of 7/8.
  EXPECT_EQ(deepep_v2_default_sms({2, 8, 16, 1, false}), 38);  // 1.25 · (430 / 0.4375) · 1.5 / 50
  // Nothing to move: all SMs.
  EXPECT_EQ(deepep_v2_default_sms({1, 1, 16, 1}), 132);
  DeepEpRates few;
  few.device_sms = 20;
  EXPECT_EQ(deepep_v2_default_sms({1, 1, 16, 1}, false, few), 20);
}

TEST(DeepEp, DefaultSmsKnowNoTokenCount) {
  Exchange exchange;
  const int sms = deepep_v2_default_sms(deepep_world(exchange));
  exchange.tokens = 512;
  EXPECT_EQ(deepep_v2_default_sms(deepep_world(exchange)), sms);
}

TEST(DeepEp, DefaultSmsAreEvenAndAtLeastFour) {
  for (int domains = 1; domains <= 32; ++domains) {
    const int sms = deepep_v2_default_sms({domains, 8, 256, 8});
    EXPECT_EQ(sms % 2, 0);
    EXPECT_GE(sms, 4);
  }
}

TEST(DeepEp, PublishedChannelsPerSm) {
  EXPECT_EQ(deepep_v2_channels(wide(Payload::fp8, 7168), true), 8);
  EXPECT_EQ(deepep_v2_channels(wide(Payload::bf16, 7168), true), 7);
  EXPECT_EQ(deepep_v2_channels(wide(Payload::fp8, 8192), true), 7);
  EXPECT_EQ(deepep_v2_channels(wide(Payload::bf16, 8192), true), 6);
  EXPECT_EQ(deepep_v2_channels(wide(Payload::fp8, 7168), false), 4);
  // Notify's counts of 12,288 experts leave shared memory for two tokens less.
  Exchange many = wide(Payload::bf16, 8192);
  many.experts = 12288;
  EXPECT_EQ(deepep_v2_channels(many, true), 5);
}

TEST(DeepEp, PresetSetsWhatStockKernelsDo) {
  Exchange exchange = wide(Payload::bf16, 7168);
  apply_preset("deepep-v2", exchange);
  EXPECT_EQ(exchange.protocol, Protocol::symmetric);
  EXPECT_EQ(exchange.channels_per_sm, 7);
  EXPECT_EQ(exchange.tail_interval, 6);
  EXPECT_EQ(exchange.queue_depth, 1024);
  EXPECT_FALSE(exchange.queues.has_value());  // min(16 · SMs + 1, 129)
  EXPECT_EQ(deepep_v2_queues(false), 129);
  EXPECT_EQ(deepep_v2_queues(true), 65);
}

TEST(DeepEp, WorldCountsEveryDomain) {
  Exchange exchange;
  exchange.attention_ranks = 12;
  EXPECT_EQ(deepep_world(exchange).domains, 4);
  EXPECT_EQ(deepep_world(exchange).gpus_per_domain, 4);
}

}  // namespace
}  // namespace fanin::model
