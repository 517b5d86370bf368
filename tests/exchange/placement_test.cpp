// Waves of dispatch CTAs, grids of epilogues and one GPU for all ranks, against sums by hand.
#include <gtest/gtest.h>

#include <utility>

#include "exchange_fixture.hpp"

namespace fanin::model {
namespace {

/// One GPU a domain: no rails.
Exchange single(int sources, int sms, int tokens) {
  Exchange exchange;
  exchange.gpus_per_domain = exchange.ffn_ranks = 1;
  exchange.attention_ranks = sources;
  exchange.transport_sms = sms;
  exchange.tokens = tokens;
  return exchange;
}

/// Only the source takes time: 5 µs to a CTA's first post, 1 µs a row, 2 µs from its last post to
/// its end.
hw::Profile source_bound() {
  hw::Profile profile = free_profile();
  set(profile, "nic.queue.fence", 0.0);
  set(profile, "hybrid.constant", 5.0);
  set(profile, "hybrid.dispatch_row", 1.0);
  set(profile, "hybrid.dispatch_exit_attention", 2.0);
  return profile;
}

TEST(Placement, TwoWavesDoubleASourceBoundDispatch) {
  // A row on every channel, so that all CTAs take alike: entry, row, exit.
  Exchange exchange = single(1, 8, 64);
  const Picoseconds one = period(exchange, source_bound());
  EXPECT_EQ(one, from_us(5.0 + 1.0 + 2.0));
  // CTA 0 keeps its SM until all others have counted; these share what is left, in waves.
  for (const auto& [sms, waves] : {std::pair{8, 1}, {5, 2}, {4, 3}, {3, 4}, {2, 7}}) {
    exchange.attention_sms = sms;
    EXPECT_EQ(period(exchange, source_bound()), one * waves) << sms;
  }
}

TEST(Placement, SourcesOfOneGpuShareItsSms) {
  Exchange exchange = single(2, 8, 64);
  exchange.attention_sms = 8;
  const Picoseconds apart = period(exchange, source_bound());
  exchange.one_gpu = true;
  EXPECT_EQ(period(exchange, source_bound()), apart * 2);
  exchange.attention_sms = 16;
  EXPECT_EQ(period(exchange, source_bound()), apart);
}

TEST(Placement, EnoughSmsChangeNothing) {
  for (const int tokens : {0, 1, 8, 200}) {
    for (const double row_sm : {0.0, 0.4}) {
      hw::Profile profile;
      set(profile, "hybrid.dispatch_row_sm", row_sm);
      Exchange exchange = single(3, 8, tokens);
      const Picoseconds unplaced = period(exchange, profile);
      exchange.attention_sms = 24;
      exchange.copy_ctas = exchange.reduce_ctas = 132;
      EXPECT_EQ(period(exchange, profile), unplaced) << tokens;
      // Epilogues of one GPU may wait for each other's bytes, so this bounds it from above only.
      exchange.one_gpu = true;
      EXPECT_LE(period(exchange, profile), unplaced + from_us(1.0)) << tokens;
    }
  }
}

TEST(Placement, FewerSmsAreNeverFaster) {
  Exchange exchange = single(3, 12, 100);
  exchange.one_gpu = true;
  Picoseconds last;
  for (const int sms : {40, 36, 30, 20, 10, 4}) {
    exchange.attention_sms = sms;
    const Picoseconds now = period(exchange, source_bound());
    EXPECT_GE(now, last) << sms;
    last = now;
  }
}

TEST(Placement, HalfTheCtasTakeTwiceAsLongUpToTheRateOfTheMemory) {
  hw::Profile profile = free_profile();
  set(profile, "hybrid.copy_epilogue_cta", 10.0);
  Exchange exchange = single(1, 8, 64);
  // 64 tokens of 8 experts, 4,096 B each: 2,097,152 B.
  const double bytes = 64.0 * 8 * 4096;
  exchange.copy_ctas = 100;
  EXPECT_EQ(period(exchange, profile), from_ns(bytes / 1000.0));
  exchange.copy_ctas = 50;
  EXPECT_EQ(period(exchange, profile), from_ns(bytes / 500.0));
  // Memory at 2 ns a row: no more than 100 CTAs are of use.
  set(profile, "hybrid.copy_epilogue_row", 5.0);
  EXPECT_EQ(period(exchange, profile), from_ns(bytes / 500.0));
  exchange.copy_ctas = 1000;
  EXPECT_EQ(period(exchange, profile), from_ns(64.0 * 8 * 5));
}

TEST(Placement, ReducesOfOneGpuShareItsMemory) {
  hw::Profile profile = free_profile();
  set(profile, "hybrid.reduce_token", 100.0);
  Exchange exchange = single(3, 8, 50);
  const Picoseconds apart = period(exchange, profile);
  EXPECT_EQ(apart, from_us(5.0));
  exchange.one_gpu = true;
  EXPECT_EQ(period(exchange, profile), apart * 3);
}

TEST(Placement, ShortCutsGiveTheSameTimes) {
  SimulationOptions stepwise;
  stepwise.reference = true;
  for (const double sm : {0.0, 0.3}) {
    for (const int tokens : {1, 8, 130}) {
      for (const int sms : {5, 9, 20}) {
        hw::Profile profile;
        set(profile, "hybrid.dispatch_row_sm", sm);
        Exchange exchange = single(3, 8, tokens);
        exchange.one_gpu = true;
        exchange.attention_sms = sms;
        EXPECT_EQ(simulate(exchange, profile).exchange,
                  simulate(exchange, profile, stepwise).exchange)
            << sm << ' ' << tokens << ' ' << sms;
      }
    }
  }
}

TEST(Placement, ChangesNoCountAndCriticalPathsSum) {
  Exchange exchange = single(3, 8, 40);
  const auto before = simulate(exchange, {}).operations;
  exchange.one_gpu = true;
  exchange.attention_sms = 10;
  const SimulationResult result = simulate(exchange, {});
  EXPECT_EQ(result.operations, before);
  Picoseconds sum;
  for (const CriticalShare& share : result.critical_path) sum += share.time;
  EXPECT_EQ(sum, result.exchange);
}

TEST(Placement, RefusesWhatCannotBe) {
  Exchange exchange = single(3, 8, 1);
  exchange.one_gpu = true;
  exchange.attention_sms = 3;  // a CTA of each source may wait on one
  ASSERT_EQ(exchange.validate().size(), 1U);
  EXPECT_EQ(exchange.validate()[0].rfind("attention_sms", 0), 0U);
  exchange.attention_sms = 4;
  EXPECT_TRUE(exchange.validate().empty());
  exchange.protocol = Protocol::symmetric;
  EXPECT_EQ(exchange.validate().at(0).rfind("placement", 0), 0U);
  Exchange alone = single(1, 8, 1);
  alone.attention_sms = 1;  // CTA 0 waits on it for the others
  EXPECT_EQ(alone.validate().at(0).rfind("attention_sms", 0), 0U);
  alone.transport_sms = 1;
  EXPECT_TRUE(alone.validate().empty());
  Exchange domain = hybrid(2, 8, 1);
  domain.one_gpu = true;
  EXPECT_EQ(domain.validate().at(0).rfind("one_gpu", 0), 0U);
}

}  // namespace
}  // namespace fanin::model
