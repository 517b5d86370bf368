#include "fanin/kernels/reference.hpp"

#include <gtest/gtest.h>

#include <cstring>

#include "exchange_config.hpp"
#include "fanin/kernels/config_error.hpp"

namespace fanin::kernels {
namespace {

Shape small() {
  Shape shape;
  shape.sources = 2;
  shape.ffn_ranks = 2;
  shape.hidden = 16;
  shape.top_k = 3;
  shape.experts = 8;
  shape.sms = 1;
  shape.channels_per_sm = 4;
  shape.capacity = 16;
  return shape;
}

/// A right delivery at one FFN rank, built the slow way.
FfnDelivery deliver(const Shape& shape, int ffn, const std::vector<SourceData>& sources) {
  FfnDelivery out;
  const int rails = shape.gpus_per_domain;
  out.channel_rows.resize(static_cast<std::size_t>(rails * shape.channels()));
  out.origins.resize(static_cast<std::size_t>(rails * shape.channels()));
  out.expert_begin.assign(static_cast<std::size_t>(shape.local_experts()) + 1, 0);
  const auto here = [&](int expert) {
    return expert >= 0 && expert / shape.local_experts() == ffn;
  };
  for (const SourceData& source : sources) {
    for (const int expert : source.experts) {
      if (here(expert)) ++out.expert_begin[expert % shape.local_experts() + 1];
    }
  }
  for (int e = 0; e < shape.local_experts(); ++e) out.expert_begin[e + 1] += out.expert_begin[e];
  const std::size_t payload = layout::payload_bytes(shape);
  out.expert_rows.resize(static_cast<std::size_t>(out.expert_begin.back()) * payload);
  std::vector<std::int32_t> fill = out.expert_begin;
  for (int s = 0; s < shape.attention_ranks(); ++s) {
    for (int t = 0; t < sources[s].tokens; ++t) {
      std::vector<char> row(layout::dispatch_row_bytes(shape), 0);
      std::memcpy(row.data(), sources[s].rows.data() + t * shape.hidden, payload);
      bool any = false;
      for (int i = 0; i < shape.top_k; ++i) {
        const int expert = sources[s].experts[t * shape.top_k + i];
        std::int32_t slot = -1;
        if (here(expert)) {
          any = true;
          slot = fill[expert % shape.local_experts()]++;
          std::memcpy(out.expert_rows.data() + slot * payload, row.data(), payload);
        }
        std::memcpy(row.data() + layout::expert_offset(shape) + i * 4, &expert, 4);
        std::memcpy(row.data() + layout::weight_offset(shape) + i * 4,
                    &sources[s].weights[t * shape.top_k + i], 4);
        std::memcpy(row.data() + layout::slot_offset(shape) + i * 4, &slot, 4);
      }
      std::memcpy(row.data() + layout::token_offset(shape), &t, 4);
      if (!any) continue;
      const int list = s % rails * shape.channels() + t % shape.channels();
      auto& rows = out.channel_rows[list];
      rows.insert(rows.end(), row.begin(), row.end());
      out.origins[list].push_back({s / rails, t});
    }
  }
  return out;
}

std::vector<SourceData> data(const Shape& shape) {
  const std::vector<int> tokens = {9, 5};
  return draw_data(shape, tokens, testing::draw_routing(shape, 9, 0, shape.experts, 2), 7);
}

TEST(Reference, AcceptsARightDelivery) {
  const Shape shape = small();
  const auto sources = data(shape);
  for (int ffn = 0; ffn < shape.ffn_ranks; ++ffn) {
    const CheckResult result = check_ffn(shape, ffn, sources, deliver(shape, ffn, sources));
    EXPECT_EQ(result.wrong, 0u) << result.first;
    EXPECT_GT(result.bytes, 0u);
  }
}

Shape rails() {
  Shape shape = small();
  shape.gpus_per_domain = 2;
  shape.ffn_ranks = 4;
  return shape;
}

std::vector<SourceData> data_of_rails(const Shape& shape) {
  const std::vector<int> tokens = {9, 5, 0, 7};
  return draw_data(shape, tokens, testing::draw_routing(shape, 9, 0, shape.experts, 2), 7);
}

TEST(Reference, AcceptsARightDeliveryOverRails) {
  const Shape shape = rails();
  const auto sources = data_of_rails(shape);
  const auto rows = expected_channel_rows(shape, sources);
  for (int ffn = 0; ffn < shape.ffn_ranks; ++ffn) {
    const FfnDelivery delivery = deliver(shape, ffn, sources);
    ASSERT_EQ(rows[ffn].size(), delivery.origins.size());
    for (std::size_t list = 0; list < rows[ffn].size(); ++list) {
      EXPECT_EQ(rows[ffn][list], static_cast<int>(delivery.origins[list].size()));
    }
    const CheckResult result = check_ffn(shape, ffn, sources, delivery);
    EXPECT_EQ(result.wrong, 0u) << result.first;
  }
}

TEST(Reference, CatchesARowOnTheWrongRail) {
  const Shape shape = rails();
  const auto sources = data_of_rails(shape);
  FfnDelivery delivery = deliver(shape, 0, sources);
  std::size_t list = 0;
  while (delivery.origins[list].empty()) ++list;
  const std::size_t other = list + static_cast<std::size_t>(shape.channels());
  std::swap(delivery.origins[list], delivery.origins[other]);
  std::swap(delivery.channel_rows[list], delivery.channel_rows[other]);
  EXPECT_GT(check_ffn(shape, 0, sources, delivery).wrong, 0u);
}

TEST(Reference, CatchesEveryKindOfWrongDelivery) {
  const Shape shape = small();
  const auto sources = data(shape);
  const FfnDelivery right = deliver(shape, 0, sources);
  std::size_t channel = 0;
  while (right.origins[channel].empty()) ++channel;
  const auto wrong = [&](auto change) {
    FfnDelivery delivery = right;
    change(delivery);
    return check_ffn(shape, 0, sources, delivery).wrong;
  };
  EXPECT_GT(wrong([&](FfnDelivery& d) { d.channel_rows[channel][5] ^= 1; }), 0u) << "payload byte";
  EXPECT_GT(
      wrong([&](FfnDelivery& d) { d.channel_rows[channel][layout::expert_offset(shape)] ^= 1; }),
      0u);
  EXPECT_GT(
      wrong([&](FfnDelivery& d) { d.channel_rows[channel][layout::weight_offset(shape)] ^= 1; }),
      0u);
  EXPECT_GT(
      wrong([&](FfnDelivery& d) { d.channel_rows[channel][layout::token_offset(shape)] ^= 1; }),
      0u);
  EXPECT_GT(wrong([&](FfnDelivery& d) { d.expert_rows.back() ^= 1; }), 0u) << "expert row";
  EXPECT_GT(wrong([&](FfnDelivery& d) { d.origins[channel].front().token ^= 1; }), 0u) << "origin";
  EXPECT_GT(wrong([&](FfnDelivery& d) { d.origins[channel].pop_back(); }), 0u)
      << "a row is missing";
  EXPECT_GT(wrong([&](FfnDelivery& d) { d.expert_begin[1] += 1; }), 0u) << "expert offsets";
}

TEST(Reference, SumsInTheKernelsOrder) {
  Shape shape = small();
  shape.ffn_ranks = 1;
  shape.sources = 1;
  shape.hidden = 8;
  SourceData source;
  source.tokens = 1;
  source.rows.assign(8, 0x3f80);  // 1.0
  source.experts = {0, 1, 2};
  source.weights = {0.5f, 0.25f, 0.125f};
  SourceDelivery delivery;
  std::vector<char> row(layout::combine_row_bytes(shape), 0);
  const std::uint16_t sum = 0x3f60;  // 0.875
  for (std::size_t i = 0; i < 8; ++i) std::memcpy(row.data() + i * 2, &sum, 2);
  for (int i = 0; i < 3; ++i) {
    std::memcpy(row.data() + layout::choice_offset(shape, i), &source.experts[i], 4);
    std::memcpy(row.data() + layout::choice_offset(shape, i) + 4, &source.weights[i], 4);
  }
  delivery.returned = {row};
  delivery.output.assign(row.begin(), row.begin() + 16);
  EXPECT_EQ(check_source(shape, source, 0, delivery).wrong, 0u);
  delivery.output[3] ^= 1;
  EXPECT_EQ(check_source(shape, source, 0, delivery).wrong, 1u);
  delivery.returned[0][0] ^= 1;
  EXPECT_EQ(check_source(shape, source, 0, delivery).wrong, 2u);
}

TEST(Reference, RoundsTheSumOfEachGpuAndThenOfTheDomain) {
  Shape shape = small();
  shape.gpus_per_domain = 2;
  shape.ffn_ranks = 2;
  shape.sources = 1;
  shape.hidden = 8;
  SourceData source;
  source.tokens = 1;
  source.rows.assign(8, 0x3f80);  // 1.0
  source.experts = {0, 1, 4};     // two of GPU 0, one of GPU 1
  source.weights = {0.75f, 0x1p-9f, 0x1p-20f};
  std::vector<char> row(layout::combine_row_bytes(shape), 0);
  const std::uint16_t sum = 0x3f40;  // 0.75; rounded once, the sum would be 0x3f41
  for (std::size_t i = 0; i < 8; ++i) std::memcpy(row.data() + i * 2, &sum, 2);
  for (int i = 0; i < 3; ++i) {
    std::memcpy(row.data() + layout::choice_offset(shape, i), &source.experts[i], 4);
    std::memcpy(row.data() + layout::choice_offset(shape, i) + 4, &source.weights[i], 4);
  }
  SourceDelivery delivery;
  delivery.returned = {row};
  delivery.output.assign(row.begin(), row.begin() + 16);
  EXPECT_EQ(check_source(shape, source, 0, delivery).wrong, 0u);
  delivery.returned[0][layout::choice_offset(shape, 2)] ^= 1;
  EXPECT_EQ(check_source(shape, source, 0, delivery).wrong, 1u);
}

TEST(RunConfig, SaysWhatIsWrongAndWhatIsExpected) {
  Shape shape;
  const RunConfig right = testing::checked_run(shape, {4});
  EXPECT_NO_THROW(right.validate());
  const auto problem = [&](auto change) {
    RunConfig config = right;
    change(config);
    try {
      config.validate();
    } catch (const ConfigError& error) {
      EXPECT_FALSE(error.expected().empty());
      return error.where();
    }
    return std::string("accepted");
  };
  EXPECT_EQ(problem([](RunConfig& c) { c.shape.hidden = 2044; }), "hidden");
  EXPECT_EQ(problem([](RunConfig& c) { c.shape.experts = 127, c.shape.ffn_ranks = 2; }), "experts");
  EXPECT_EQ(problem([](RunConfig& c) { c.shape.channels_per_sm = 0; }), "channels_per_sm");
  EXPECT_EQ(problem([](RunConfig& c) { c.tokens = {-1}; }), "tokens");
  EXPECT_EQ(problem([](RunConfig& c) { c.tokens = {4, 4}; }), "tokens");
  EXPECT_EQ(problem([](RunConfig& c) { c.routing[3] = 128; }), "routing");
  EXPECT_EQ(problem([](RunConfig& c) { c.routing.pop_back(); }), "routing");
  EXPECT_EQ(problem([](RunConfig& c) { c.timeout_ms = 0; }), "timeout_ms");
  EXPECT_EQ(problem([](RunConfig& c) { c.nic = {"atomic=28"}; }), "nic");
  EXPECT_EQ(problem([](RunConfig& c) { c.shape.gpus_per_domain = 9; }), "gpus_per_domain");
  EXPECT_EQ(problem([](RunConfig& c) { c.shape.gpus_per_domain = 2; }), "ffn_ranks");
  const auto two_rails = [](RunConfig& c) { c.shape.gpus_per_domain = c.shape.ffn_ranks = 2; };
  EXPECT_EQ(problem(two_rails), "tokens");
  EXPECT_EQ(problem([&](RunConfig& c) {
              two_rails(c);
              c = testing::checked_run(c.shape, {4, 4});
              c.serial = true;
            }),
            "serial");
}

}  // namespace
}  // namespace fanin::kernels
