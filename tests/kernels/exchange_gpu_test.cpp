// Whole exchanges on a GPU: every delivered byte against the CPU reference, over the sizes that
// must hold.
#include <gtest/gtest.h>

#include "exchange_config.hpp"
#include "fanin/kernels/availability.hpp"

namespace fanin::kernels {
namespace {

using testing::checked_run;
using testing::draw_routing;

class ExchangeGpuTest : public ::testing::Test {
 protected:
  void SetUp() override {
    if (const std::string reason = missing(); !reason.empty())
      GTEST_SKIP() << "skipped: " << reason;
  }

  static void expect_right(const RunConfig& config, const std::string& what) {
    SCOPED_TRACE(what);
    try {
      const RunResult result = run_exchange(config);
      EXPECT_EQ(result.checked_blocks, 2u);
      EXPECT_GT(result.checked_bytes, 0u);
      EXPECT_GT(result.median_us, 0.0);
    } catch (const std::exception& error) {
      ADD_FAILURE() << what << ": " << error.what();
    }
  }
};

std::string label(const Shape& shape, int tokens) {
  return "T=" + std::to_string(tokens) + " S=" + std::to_string(shape.sources) +
         " SMs=" + std::to_string(shape.sms) +
         " channels per SM=" + std::to_string(shape.channels_per_sm);
}

class Sizes : public ExchangeGpuTest, public ::testing::WithParamInterface<int> {};

TEST_P(Sizes, DeliversEveryByteForAnySourcesAndChannels) {
  for (const int sources : {1, 2, 3, 5}) {
    for (const int channels_per_sm : {4, 7, 8}) {
      Shape shape;
      shape.sources = sources;
      shape.sms = 2 + channels_per_sm;
      shape.channels_per_sm = channels_per_sm;
      expect_right(
          checked_run(shape, std::vector<int>(static_cast<std::size_t>(sources), GetParam())),
          label(shape, GetParam()));
    }
  }
}

INSTANTIATE_TEST_SUITE_P(Tokens, Sizes, ::testing::Values(0, 1, 3, 7, 8, 127, 128, 513, 2048));

TEST_F(ExchangeGpuTest, SourcesWithoutTokens) {
  Shape shape;
  shape.sources = 5;
  shape.sms = 8;
  expect_right(checked_run(shape, {0, 17, 0, 128, 1}), "some sources have no tokens");
}

TEST_F(ExchangeGpuTest, SeveralFfnRanks) {
  Shape shape;
  shape.sources = 3;
  shape.ffn_ranks = 4;
  shape.sms = 6;
  expect_right(checked_run(shape, {65, 3, 300}), "four FFN ranks");
}

TEST_F(ExchangeGpuTest, AllExpertsOnOneOfTwoFfnRanks) {
  Shape shape;
  shape.sources = 2;
  shape.ffn_ranks = 2;
  shape.sms = 8;
  RunConfig config = checked_run(shape, {200, 200});
  config.routing = draw_routing(shape, 200, shape.local_experts(), shape.experts, 3);
  expect_right(config, "all rows go to the second FFN rank");
}

TEST_F(ExchangeGpuTest, TokensWithFewerExperts) {
  Shape shape;
  shape.sources = 2;
  shape.ffn_ranks = 2;
  shape.sms = 4;
  RunConfig config = checked_run(shape, {100, 90});
  for (std::size_t i = 0; i < config.routing.size(); ++i) {
    if (i % 3 == 0 || i / 8 % 10 == 7) config.routing[i] = -1;
  }
  expect_right(config, "choices without an expert");
}

TEST_F(ExchangeGpuTest, OtherRowsExpertsAndIntervals) {
  Shape shape;
  shape.sources = 2;
  shape.sms = 5;
  shape.hidden = 7168;
  shape.experts = 256;
  shape.channels_per_sm = 7;
  shape.tail_interval = 6;
  expect_right(checked_run(shape, {130, 129}), "hidden 7168");
  shape.hidden = 520;
  shape.top_k = 3;
  shape.experts = 9;
  shape.tail_interval = 1;
  shape.queues = 3;
  expect_right(checked_run(shape, {130, 129}), "hidden 520, top-k 3, 9 experts, 3 queues");
}

TEST_F(ExchangeGpuTest, AttentionRunsInWaves) {
  Shape shape;
  shape.sources = 5;
  shape.sms = 48;
  expect_right(checked_run(shape, {64, 64, 64, 64, 64}),
               "5 x 48 Attention CTAs beside 48 FFN CTAs");
}

// 24 of the 56 channels have 36 rows, 12 tail intervals, so that their finish is posted right
// behind a tail to the same word.
TEST_F(ExchangeGpuTest, FinishesRightBehindTailsOverAnEmulatedNic) {
  Shape shape;
  shape.sms = 8;
  shape.channels_per_sm = 7;
  RunConfig config = checked_run(shape, {2048});
  config.transport = TransportKind::emulated_nic;
  config.nic = {"nic28"};
  config.blocks = 12;
  EXPECT_EQ(run_exchange(config).checked_blocks, 13u);
}

TEST_F(ExchangeGpuTest, ProtocolOptions) {
  Shape shape;
  shape.sources = 3;
  shape.sms = 8;
  shape.options.rotate = 8;
  shape.options.skip_zero_counts = true;
  shape.options.ready_first = true;
  shape.options.inline_finish = true;
  expect_right(checked_run(shape, {1, 70, 200}), "fixes 2, 4, 6, 9");
}

Shape rails(int gpus_per_domain, int ffn_domains, int sources, int channels_per_sm) {
  Shape shape;
  shape.gpus_per_domain = gpus_per_domain;
  shape.ffn_ranks = ffn_domains * gpus_per_domain;
  shape.sources = sources;
  shape.sms = 3;
  shape.channels_per_sm = channels_per_sm;
  return shape;
}

std::vector<int> tokens_of(const Shape& shape, int tokens) {
  return std::vector<int>(static_cast<std::size_t>(shape.attention_ranks()), tokens);
}

class Rails : public ExchangeGpuTest, public ::testing::WithParamInterface<int> {};

TEST_P(Rails, DeliverEveryByteForAnyDomainsSourcesAndChannels) {
  for (const int gpus : {1, 2, 4}) {
    for (const int sources : {1, 2}) {
      for (const int channels_per_sm : {4, 8}) {
        const Shape shape = rails(gpus, 1, sources, channels_per_sm);
        expect_right(checked_run(shape, tokens_of(shape, GetParam())),
                     "U=" + std::to_string(gpus) + " " + label(shape, GetParam()));
      }
    }
  }
}

INSTANTIATE_TEST_SUITE_P(Tokens, Rails, ::testing::Values(0, 1, 7, 128, 513));

class VirtualGpus : public ExchangeGpuTest {};

TEST_F(VirtualGpus, AllExpertsOnOneGpu) {
  for (const int gpus : {2, 4}) {
    const Shape shape = rails(gpus, 1, 2, 8);
    RunConfig config = checked_run(shape, tokens_of(shape, 200));
    const int first = (gpus - 1) * shape.local_experts();
    config.routing = draw_routing(shape, 200, first, first + shape.local_experts(), 3);
    expect_right(config, "all rows go to the last GPU of " + std::to_string(gpus));
  }
}

TEST_F(VirtualGpus, SourcesWithoutTokens) {
  const Shape shape = rails(2, 1, 3, 8);
  expect_right(checked_run(shape, {0, 17, 0, 0, 128, 1}), "a rail's sources have no tokens");
}

TEST_F(VirtualGpus, SeveralFfnDomainsAndChoicesWithoutAnExpert) {
  const Shape shape = rails(2, 2, 2, 7);
  RunConfig config = checked_run(shape, {65, 3, 300, 0});
  for (std::size_t i = 0; i < config.routing.size(); ++i) {
    if (i % 3 == 0 || i / 8 % 10 == 7) config.routing[i] = -1;
  }
  expect_right(config, "two FFN domains of two GPUs");
}

TEST_F(VirtualGpus, OtherRowsExpertsAndIntervals) {
  Shape shape = rails(3, 1, 1, 8);
  shape.hidden = 520;
  shape.top_k = 3;
  shape.experts = 9;
  shape.tail_interval = 1;
  shape.queues = 3;
  expect_right(checked_run(shape, {130, 129, 3}), "hidden 520, top-k 3, 9 experts, 3 queues");
}

TEST_F(VirtualGpus, ProtocolOptions) {
  Shape shape = rails(2, 1, 2, 8);
  shape.options.rotate = 8;
  shape.options.skip_zero_counts = true;
  shape.options.ready_first = true;
  shape.options.inline_finish = true;
  expect_right(checked_run(shape, {1, 70, 200, 5}), "fixes 2, 4, 6, 9");
}

TEST_F(VirtualGpus, OverEmulatedNics) {
  for (const int tokens : {0, 1, 7, 128}) {
    const Shape shape = rails(2, 1, 2, 8);
    RunConfig config = checked_run(shape, tokens_of(shape, tokens));
    config.transport = TransportKind::emulated_nic;
    config.nic = {"nic28"};
    expect_right(config, "a NIC for each GPU, T=" + std::to_string(tokens));
  }
}

TEST_F(VirtualGpus, RefusesWhatCannotMakeProgress) {
  Shape shape = rails(4, 1, 2, 8);
  shape.sms = 31;
  try {
    run_exchange(checked_run(shape, tokens_of(shape, 1)));
    FAIL() << "accepted";
  } catch (const std::runtime_error& error) {
    EXPECT_NE(std::string(error.what()).find("124 FFN + 8 waiting sources + 1 for the rest = 133"),
              std::string::npos)
        << error.what();
  }
}

TEST_F(ExchangeGpuTest, RefusesWhatCannotMakeProgress) {
  Shape shape;
  shape.sources = 5;
  shape.sms = 127;
  try {
    run_exchange(checked_run(shape, {1, 1, 1, 1, 1}));
    FAIL() << "accepted";
  } catch (const std::runtime_error& error) {
    EXPECT_NE(std::string(error.what()).find("127 FFN + 5 waiting sources + 1 for the rest = 133"),
              std::string::npos)
        << error.what();
  }
}

}  // namespace
}  // namespace fanin::kernels
