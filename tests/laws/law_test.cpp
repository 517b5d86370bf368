#include <gtest/gtest.h>

#include <cmath>
#include <set>

#include "fanin/model/law_family.hpp"

namespace {

using fanin::model::find_law;
using fanin::model::Law;
using fanin::model::law_family;
using fanin::model::LawPoint;

LawPoint point(double sms, double sources, double tokens) {
  LawPoint p;
  p.transport_sms = sms;
  p.sources = sources;
  p.tokens = tokens;
  p.ranks = 4.0 * (sources + 1.0);
  return p;
}

TEST(Law, PublishedFormByHand) {
  const Law& law = *find_law("H_A");
  const double values[] = {59.8, 56.4, 5.7};
  EXPECT_NEAR(law.evaluate(values, point(24, 3, 1)), 59.8 + 0.0564 * 192 * 3 + 5.7 * 3, 1e-12);
  EXPECT_EQ(&law, find_law("linear"));
  EXPECT_TRUE(law.linear());
}

TEST(Law, CompetingResourcesTakesTheSlowest) {
  const Law& law = *find_law("competing_resources");
  const double values[] = {50.5, 8.7, 57.0, 89.0, 15.8};
  // 8 SMs, one source: 3.6 us of operations, 5.7 us of channels, 15.8 us of chain.
  EXPECT_NEAR(law.evaluate(values, point(8, 1, 1)), 50.5 + 8.7 + 15.8, 1e-12);
  EXPECT_EQ(law.active_branch(values, point(8, 1, 1)), 3);
  // 48 SMs: channels win with one source, operations with three.
  EXPECT_NEAR(law.evaluate(values, point(48, 1, 1)), 50.5 + 8.7 + 0.089 * 384, 1e-12);
  EXPECT_NEAR(law.evaluate(values, point(48, 3, 1)), 50.5 + 26.1 + 0.057 * 384 * 3, 1e-12);
}

TEST(Law, QueuesStopCountingAt128) {
  const Law& law = *find_law("H_QP");
  const double values[] = {0.0, 1000.0, 0.0};
  EXPECT_NEAR(law.evaluate(values, point(8, 1, 1)), 64.0, 1e-12);
  EXPECT_NEAR(law.evaluate(values, point(16, 1, 1)), 128.0, 1e-12);
  EXPECT_NEAR(law.evaluate(values, point(48, 1, 1)), 128.0, 1e-12);
}

TEST(Law, TailUpdatesByCountingChannels) {
  for (const double sms : {1.0, 2.0, 6.0}) {
    for (const double tokens : {1.0, 7.0, 8.0, 24.0, 25.0, 100.0, 515.0}) {
      const LawPoint p = point(sms, 2, tokens);
      std::vector<int> rows(static_cast<std::size_t>(p.channels()), 0);
      for (int t = 0; t < static_cast<int>(tokens); ++t)
        ++rows[static_cast<std::size_t>(t) % rows.size()];
      double updates = 0.0;
      double busiest = 0.0;
      for (const int n : rows) {
        updates += n / 3 + 1;
        busiest = std::max(busiest, static_cast<double>(n));
      }
      EXPECT_EQ(fanin::model::tail_updates(p), updates) << sms << " SMs, " << tokens << " tokens";
      EXPECT_EQ(fanin::model::busiest_channel_rows(p), busiest);
    }
  }
}

TEST(Law, GradientIsTheDerivative) {
  for (const Law& law : law_family()) {
    std::vector<double> values;
    for (std::size_t j = 0; j < law.parameters.size(); ++j) values.push_back(3.0 + 1.7 * double(j));
    const LawPoint p = point(20, 2, 33);
    std::vector<double> gradient(values.size());
    law.gradient(values, p, gradient);
    for (std::size_t j = 0; j < values.size(); ++j) {
      std::vector<double> up = values;
      std::vector<double> down = values;
      up[j] += 1e-4;
      down[j] -= 1e-4;
      const double difference = (law.evaluate(up, p) - law.evaluate(down, p)) / 2e-4;
      EXPECT_NEAR(gradient[j], difference, 1e-6 * (1.0 + std::abs(difference)))
          << law.name << " " << law.parameters[j].name;
    }
  }
}

TEST(LawFamily, IsConsistent) {
  std::set<std::string_view> names;
  for (const Law& law : law_family()) {
    EXPECT_TRUE(names.insert(law.name).second) << law.name;
    EXPECT_EQ(find_law(law.name), &law);
    EXPECT_NE(law.branches(), 1) << law.name << ": one branch competes with nothing";
    std::set<std::size_t> used;
    for (const auto& term : law.terms) {
      ASSERT_LT(term.parameter, law.parameters.size()) << law.name;
      used.insert(term.parameter);
    }
    EXPECT_EQ(used.size(), law.parameters.size()) << law.name << ": a parameter without a term";
    for (const auto& parameter : law.parameters) {
      EXPECT_NE(law.formula.find(parameter.name), std::string_view::npos) << law.name;
      EXPECT_NO_THROW(fanin::model::microseconds_per(parameter.unit));
    }
  }
  for (const char* name : {"H_A", "H_B", "mixed", "H_QP", "competing_resources", "fixed_per_row",
                           "saturating_bandwidth", "link_or_sms"}) {
    EXPECT_NE(find_law(name), nullptr) << name;
  }
  EXPECT_EQ(find_law("H_C"), nullptr);
}

}  // namespace
