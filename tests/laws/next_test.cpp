#include <gtest/gtest.h>

#include "fanin/calibrate/law_next.hpp"
#include "fanin/hw/error.hpp"
#include "law_rows_of.hpp"

namespace {

using namespace fanin::calibrate;
using fanin::model::find_law;
using fanin::test::law_rows_of;

LawFit fit(const char* law, const LawRows& rows) {
  LawFitOptions options;
  options.draws = 100;
  return std::get<LawFit>(fit_law(*find_law(law), rows, options));
}

TEST(NextRuns, GoWhereTheLawsDisagreeMost) {
  // From S = 1 and 2 the two differ little; they part with SMs and sources.
  const LawRows rows =
      law_rows_of(*find_law("H_A"), {60, 50, 6}, {8, 16, 24, 32}, {1, 2}, {1}, 0.01);
  const LawFit a = fit("H_A", rows);
  const LawFit b = fit("H_B", rows);
  const RunGrid grid = parse_grid("transport_sms=8:32:8,sources=1|2|4,tokens=1");
  const auto runs = next_runs({&a, &b}, rows, grid, 3, 1.0);
  ASSERT_EQ(runs.size(), 3u);
  EXPECT_EQ(runs[0].point.sources, 4.0);
  EXPECT_TRUE(runs[0].point.transport_sms == 32.0 || runs[0].point.transport_sms == 8.0);
  EXPECT_FALSE(runs[0].measured);
  EXPECT_GE(runs[0].separation, runs[1].separation);
  for (std::size_t i = 0; i < runs.size(); ++i) {
    for (std::size_t j = 0; j < i; ++j) {
      EXPECT_FALSE(runs[i].point.transport_sms == runs[j].point.transport_sms &&
                   runs[i].point.sources == runs[j].point.sources);
    }
  }
}

TEST(NextRuns, NeverMoreThanTheGridHas) {
  const LawRows rows =
      law_rows_of(*find_law("H_A"), {60, 50, 6}, {8, 16, 24, 32}, {1, 2}, {1}, 0.01);
  const LawFit a = fit("H_A", rows);
  EXPECT_EQ(next_runs({&a}, rows, parse_grid("transport_sms=8|16"), 10, 1.0).size(), 2u);
}

TEST(Grid, ReadsListsAndRanges) {
  const RunGrid grid = parse_grid("transport_sms=8:24:8,sources=1|3,tokens=1");
  EXPECT_EQ(grid.at("transport_sms"), (std::vector<double>{8, 16, 24}));
  EXPECT_EQ(grid.at("sources"), (std::vector<double>{1, 3}));
  EXPECT_EQ(grid.at("tokens"), std::vector<double>{1});
}

TEST(Grid, BadTextIsRefused) {
  for (const char* text : {"", "sources", "sources=", "colour=1", "sources=0", "sources=1:2",
                           "sources=1:2:x", "sources=nan", "tokens=1:1000000000:1"}) {
    EXPECT_THROW(parse_grid(text), fanin::InputError) << text;
  }
}

}  // namespace
