#include "fanin/kernels/layout.hpp"

#include <gtest/gtest.h>

#include <map>
#include <set>

#include "fanin/kernels/budget.hpp"
#include "fanin/kernels/device/queues.cuh"

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

TEST(Budget, CountsWhatMustBeResidentTogether) {
  Shape shape;
  shape.sources = 3;
  const SmBudget budget = sm_budget(shape, 1, 132);
  EXPECT_EQ(budget.needed(), 29);
  EXPECT_TRUE(budget.fits());
  EXPECT_EQ(budget.sum(), "1 NIC + 24 FFN + 3 waiting sources + 1 for the rest = 29 SMs of 132");
  EXPECT_FALSE(sm_budget(shape, 1, 28).fits());
}

}  // namespace
}  // namespace fanin::kernels
