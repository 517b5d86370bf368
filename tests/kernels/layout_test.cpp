#include "fanin/kernels/layout.hpp"

#include <gtest/gtest.h>

#include <map>
#include <set>

#include "fanin/kernels/budget.hpp"
#include "fanin/kernels/device/queues.cuh"
#include "fanin/kernels/owner_of.hpp"
#include "fanin/kernels/token_share.hpp"

namespace fanin::kernels {
namespace {

TEST(Layout, RowsAreThoseOfTheRecordedRuns) {
  Shape shape;
  EXPECT_EQ(layout::dispatch_row_bytes(shape), 4224u);
  EXPECT_EQ(layout::combine_row_bytes(shape), 4160u);
  shape.hidden = 7168;
  EXPECT_EQ(layout::dispatch_row_bytes(shape), 14464u);
  EXPECT_EQ(layout::combine_row_bytes(shape), 14400u);
}

TEST(Layout, MetadataFieldsDoNotOverlap) {
  for (int top_k = 1; top_k <= 32; ++top_k) {
    Shape shape;
    shape.top_k = top_k;
    const std::size_t field = static_cast<std::size_t>(top_k) * 4;
    EXPECT_EQ(layout::expert_offset(shape), layout::payload_bytes(shape));
    EXPECT_EQ(layout::weight_offset(shape), layout::expert_offset(shape) + field);
    EXPECT_EQ(layout::slot_offset(shape), layout::weight_offset(shape) + field);
    EXPECT_EQ(layout::token_offset(shape), layout::slot_offset(shape) + field);
    EXPECT_LE(layout::token_offset(shape) + 4, layout::dispatch_row_bytes(shape));
    EXPECT_LE(layout::choice_offset(shape, top_k - 1) + 8, layout::combine_row_bytes(shape));
    EXPECT_EQ(layout::dispatch_row_bytes(shape) % layout::kVector, 0u);
    EXPECT_EQ(layout::combine_row_bytes(shape) % layout::kVector, 0u);
  }
}

TEST(Layout, InboxRowsAreDistinctAndWithinTheInbox) {
  Shape shape;
  shape.sources = 3;
  shape.sms = 2;
  shape.channels_per_sm = 7;
  shape.capacity = 100;
  std::set<std::size_t> rows;
  for (int source = 0; source < shape.sources; ++source) {
    for (int channel = 0; channel < shape.channels(); ++channel) {
      for (int slot = 0; slot < shape.slots(); ++slot) {
        const std::size_t row = layout::inbox_row(shape, source, channel, slot);
        EXPECT_LT(row, layout::inbox_rows(shape));
        EXPECT_TRUE(rows.insert(row).second);
      }
    }
  }
  EXPECT_EQ(rows.size(), layout::inbox_rows(shape));
}

TEST(Layout, SignalsAccumulate) {
  const std::uint64_t word = layout::pack2(0, 3) + layout::pack2(0, 3) + layout::pack2(1, 2);
  EXPECT_EQ(layout::rows(word), 8u);
  EXPECT_EQ(layout::finishes(word), 1u);
}

TEST(Shape, EveryTokenRidesOneChannelAndFitsItsSlots) {
  for (const int rotate : {0, 8}) {
    Shape shape;
    shape.sources = 5;
    shape.sms = 3;
    shape.capacity = 77;
    shape.options.rotate = rotate;
    for (int source = 0; source < shape.sources; ++source) {
      for (const int tokens : {0, 1, 23, 24, 25, 77}) {
        std::set<int> seen;
        for (int channel = 0; channel < shape.channels(); ++channel) {
          const int count = shape.tokens_on(channel, source, tokens);
          EXPECT_LE(count, shape.slots());
          for (int i = 0; i < count; ++i) {
            const int token = shape.first_token(channel, source) + i * shape.channels();
            EXPECT_LT(token, tokens);
            EXPECT_EQ((token + source * rotate) % shape.channels(), channel);
            EXPECT_TRUE(seen.insert(token).second);
          }
        }
        EXPECT_EQ(seen.size(), static_cast<std::size_t>(tokens));
      }
    }
  }
}

Shape two_rails() {
  Shape shape;
  shape.gpus_per_domain = 2;
  shape.ffn_ranks = 6;
  shape.sources = 3;
  shape.experts = 48;
  shape.sms = 2;
  shape.channels_per_sm = 7;
  shape.capacity = 100;
  return shape;
}

TEST(Shape, RanksAreDomainsThenRails) {
  const Shape shape = two_rails();
  EXPECT_EQ(shape.ffn_domains(), 3);
  EXPECT_EQ(shape.attention_ranks(), 6);
  EXPECT_EQ(shape.ranks(), 12);
  EXPECT_EQ(shape.local_experts(), 8);
}

TEST(Shape, ARailSeesOneGpuADomainWithTheDomainsExperts) {
  const Shape rail = rail_view(two_rails(), 1);
  EXPECT_EQ(rail.gpus_per_domain, 1);
  EXPECT_EQ(rail.ffn_ranks, 3);
  EXPECT_EQ(rail.sources, 3);
  EXPECT_EQ(rail.ranks(), 6);
  EXPECT_EQ(rail.local_experts(), 16);
  EXPECT_EQ(rail.channels(), two_rails().channels());
  // Counts of all experts of the domain go over the rail, and one finish a domain and channel.
  EXPECT_EQ(layout::count_words(rail), layout::kRankCountWords + 16);
  EXPECT_EQ(layout::finish_word(rail, 2, 13), 3u * 14 - 1);
}

TEST(Shape, OneGpuADomainIsItsOwnRailAndMember) {
  Shape shape;
  shape.options.rotate = 8;
  for (const Shape& view : {rail_view(shape, 0), member_view(shape)}) {
    EXPECT_EQ(view.ffn_ranks, shape.ffn_ranks);
    EXPECT_EQ(view.channels(), shape.channels());
    EXPECT_EQ(view.channel_rows(), shape.channel_rows());
    EXPECT_EQ(view.first_token(5, 3), shape.first_token(5, 3));
  }
}

TEST(Shape, RailsRotateByAttentionRank) {
  Shape shape = two_rails();
  shape.options.rotate = 8;
  for (int rail = 0; rail < 2; ++rail) {
    const Shape view = rail_view(shape, rail);
    for (int source = 0; source < shape.sources; ++source) {
      const int rank = source * 2 + rail;
      for (int channel = 0; channel < shape.channels(); ++channel) {
        EXPECT_EQ((view.first_token(channel, source) + rank * 8) % shape.channels(), channel);
        EXPECT_GE(view.first_token(channel, source), 0);
      }
    }
  }
}

TEST(Layout, ListsInsideADomainAreDistinctAndHoldAChannelEach) {
  const Shape shape = two_rails();
  const Shape received = member_view(shape);
  EXPECT_EQ(received.channels(), 2 * shape.channels());
  EXPECT_EQ(received.channel_rows(), shape.channel_rows());
  EXPECT_EQ(received.local_experts(), shape.local_experts());
  std::set<std::size_t> rows;
  for (int list = 0; list < received.channels(); ++list) {
    for (int row = 0; row < received.channel_rows(); ++row) {
      EXPECT_TRUE(rows.insert(layout::channel_row(received, list, row)).second);
      EXPECT_EQ(layout::channel_row(received, list, row), layout::channel_row(shape, list, row));
    }
  }
  EXPECT_EQ(rows.size(), 2 * layout::inbox_rows(rail_view(shape, 0)));
  EXPECT_EQ(*rows.rbegin(), rows.size() - 1);
}

TEST(Queues, FollowTheRecordedAssignment) {
  using device::combine_queues;
  using device::dispatch_queues;
  using device::queue_of;
  // 8 SMs: 64 data contexts in dispatch, one a channel, and context 0 for the counts.
  std::set<int> used;
  for (int m = 0; m < 8; ++m) {
    for (int k = 0; k < 8; ++k) used.insert(queue_of(dispatch_queues(129), m, k, 8));
  }
  EXPECT_EQ(used.size(), 64u);
  EXPECT_EQ(used.count(0), 0u);
  // 24 SMs: at most 2 channels a context; 48 SMs: up to 4.
  for (const auto& [sms, most] : {std::pair{24, 2}, std::pair{48, 4}}) {
    std::map<int, int> channels;
    for (int m = 0; m < sms; ++m) {
      for (int k = 0; k < 8; ++k) ++channels[queue_of(dispatch_queues(129), m, k, sms)];
    }
    int busiest = 0;
    for (const auto& [queue, count] : channels) {
      busiest = std::max(busiest, count);
      EXPECT_GE(queue, 1);
      EXPECT_LT(queue, 129);
    }
    EXPECT_EQ(busiest, most);
  }
  EXPECT_EQ(queue_of(combine_queues(129), 0, 0, 8), 0);
  for (int m = 0; m < 48; ++m) EXPECT_LT(queue_of(dispatch_queues(3), m, 5, 48), 3);
}

TEST(TokenShare, IsTheRuleOfTheShape) {
  Shape shape;
  for (const int rotate : {0, 1, 8, 193}) {
    for (const int sms : {1, 7, 24}) {
      shape.options.rotate = rotate;
      shape.sms = sms;
      for (const int source : {0, 1, 5}) {
        for (const int tokens : {0, 1, 7, 191, 192, 193, 2048}) {
          const TokenShare share(shape, source, tokens);
          ASSERT_EQ(share.channels(), shape.channels());
          for (int channel = 0; channel < shape.channels(); ++channel) {
            const int first = share.first(channel);
            ASSERT_EQ(first, shape.first_token(channel, source));
            ASSERT_EQ(share.count(first), shape.tokens_on(channel, source, tokens));
          }
        }
      }
    }
  }
}

TEST(OwnerOf, DividesExactly) {
  Shape shape;
  for (const int ranks : {1, 2, 3, 7, 32}) {
    for (const int local : {1, 3, 11, 128}) {
      shape.ffn_ranks = ranks;
      shape.experts = ranks * local;
      const OwnerOf owner_of(shape);
      for (int expert = 0; expert < shape.experts; ++expert) {
        ASSERT_EQ(owner_of(expert), expert / local);
      }
    }
  }
}

TEST(Budget, CountsWhatMustBeResidentTogether) {
  Shape shape;
  shape.sources = 3;
  const SmBudget budget = sm_budget(shape, 1, 132);
  EXPECT_EQ(budget.needed(), 29);
  EXPECT_TRUE(budget.fits());
  EXPECT_EQ(budget.sum(), "1 NIC + 24 FFN + 3 waiting sources + 1 for the rest = 29 SMs of 132");
  EXPECT_FALSE(sm_budget(shape, 1, 28).fits());
}

TEST(Budget, CountsEveryVirtualGpu) {
  Shape shape;
  shape.gpus_per_domain = 4;
  shape.ffn_ranks = 4;
  shape.sources = 2;
  shape.sms = 8;
  const SmBudget budget = sm_budget(shape, 12, 132);
  EXPECT_EQ(budget.sum(), "12 NIC + 32 FFN + 8 waiting sources + 1 for the rest = 53 SMs of 132");
  EXPECT_FALSE(sm_budget(shape, 12, 52).fits());
}

}  // namespace
}  // namespace fanin::kernels
