#include <gtest/gtest.h>

#include <algorithm>
#include <map>

#include "fanin/hw/error.hpp"
#include "fanin/model/fixes_text.hpp"
#include "fanin/model/safety.hpp"

namespace fanin::model::safety {
namespace {

Verdict on_small_systems(const Variant& variant) {
  Verdict total;
  total.exhausted = true;
  for (const System& system : small_systems()) merge(total, explore(variant, system));
  return total;
}

TEST(Variants, RightOnesAreSafe) {
  for (const char* fixes : {"none",
                            "1",
                            "1:at=exit",
                            "2",
                            "3",
                            "4",
                            "4:k=1",
                            "4:k=channels",
                            "3:sms=8",
                            "5",
                            "5:role=attention",
                            "5:role=ffn",
                            "6",
                            "7",
                            "8",
                            "8:occupancy=count",
                            "9",
                            "1+5",
                            "1+7",
                            "1+8",
                            "1+9",
                            "4+8",
                            "5+9",
                            "7+9",
                            "3+5+6+9",
                            "1:at=exit+4+8:occupancy=count"}) {
    const Verdict verdict = on_small_systems({parse_fixes(fixes), {}});
    EXPECT_TRUE(verdict.safe()) << fixes << ": " << verdict.first_violation->text;
    EXPECT_TRUE(verdict.exhausted) << fixes;
  }
}

TEST(Variants, RightOnesAreSafeOnLargeSystems) {
  for (const char* fixes : {"none", "1", "3", "4", "5", "7", "8", "8:occupancy=count", "9"}) {
    for (const System& system : large_systems()) {
      Options sampling;
      sampling.samples = 500;
      const Variant variant{parse_fixes(fixes), {}};
      EXPECT_TRUE(explore(variant, system).safe()) << fixes;
      EXPECT_TRUE(explore(variant, system, sampling).safe()) << fixes;
    }
  }
}

TEST(Variants, WrongOnesAreCaught) {
  for (const std::string& wrong : wrong_names()) {
    const Variant variant{{}, wrong};
    const Verdict verdict = on_small_systems(variant);
    EXPECT_EQ(verdict.safe(), expected_safe(variant)) << wrong;
    EXPECT_TRUE(verdict.exhausted) << wrong;
  }
}

TEST(Variants, WrongOnesAreCaughtBySampling) {
  for (const std::string& wrong : wrong_names()) {
    Options sampling;
    sampling.samples = 2000;
    sampling.stop_at_first = true;
    const Variant variant{{}, wrong};
    EXPECT_EQ(explore(variant, large_systems().front(), sampling).safe(), expected_safe(variant))
        << wrong;
  }
}

TEST(Variants, WrongOnesFailInTheirOwnWay) {
  const std::map<std::string, ViolationKind> kinds = {
      {"w1", ViolationKind::cleared_after_reuse}, {"w2", ViolationKind::cleared_after_reuse},
      {"w3", ViolationKind::read_before_written}, {"w4", ViolationKind::token_lost},
      {"w5", ViolationKind::overwritten_in_use},  {"w6", ViolationKind::read_before_written},
      {"w7", ViolationKind::cleared_after_reuse}, {"w8", ViolationKind::deadlock},
      {"w9", ViolationKind::token_lost}};
  for (const auto& [wrong, kind] : kinds) {
    const Verdict verdict = on_small_systems({{}, wrong});
    ASSERT_TRUE(verdict.first_violation) << wrong;
    EXPECT_EQ(to_string(verdict.first_violation->kind), to_string(kind)) << wrong;
  }
}

/// The schedule that is shown must be one: each line after all that it names as its causes.
TEST(Variants, ScheduleIsOrdered) {
  const Verdict verdict = on_small_systems({{}, "w1"});
  ASSERT_TRUE(verdict.first_violation);
  const auto& lines = verdict.first_violation->lines;
  for (std::size_t i = 0; i < lines.size(); ++i) {
    for (const int cause : lines[i].causes) EXPECT_LT(cause, static_cast<int>(i));
  }
  EXPECT_EQ(std::max_element(lines.begin(), lines.end(),
                             [](const auto& a, const auto& b) { return a.exchange < b.exchange; })
                ->exchange,
            2);
}

/// The explorer cannot tell fix 6 from the baseline (its file says why), and must see all others.
TEST(Variants, FixesChangeTheSteps) {
  const System system = large_systems().front();
  const std::size_t baseline = steps_of({}, system).steps().size();
  EXPECT_EQ(steps_of({parse_fixes("6"), {}}, system).steps().size(), baseline);
  // Fix 2 drops one step an exchange; fix 7 a finish for each empty pair, and adds three releases
  // and their post.
  EXPECT_EQ(steps_of({parse_fixes("2"), {}}, system).steps().size(), baseline - 3);
  int empty_pairs = 0;
  for (const auto& exchange : system.tokens) {
    for (const int tokens : exchange) empty_pairs += std::max(0, system.channels() - tokens);
  }
  EXPECT_EQ(steps_of({parse_fixes("7"), {}}, system).steps().size(),
            baseline - static_cast<std::size_t>(empty_pairs) + 3 * (3 + 1));
}

TEST(Variants, CacheAnswersOnce) {
  VerdictCache cache;
  const Verdict& first = cache.verdict(parse_fixes("4+8"));
  EXPECT_TRUE(first.safe());
  EXPECT_EQ(&first, &cache.verdict(parse_fixes("4+8")));
}

TEST(Variants, RefusesWhatDoesNotExist) {
  const System system = small_systems().front();
  EXPECT_THROW(steps_of({{}, "w77"}, system), InputError);
  EXPECT_THROW(steps_of({{{10, {}}}, {}}, system), InputError);
  EXPECT_THROW(steps_of({{{4, {{"k", "x"}}}}, {}}, system), InputError);
  EXPECT_THROW(steps_of({{{4, {{"k", "-1"}}}}, {}}, system), InputError);
  EXPECT_THROW(steps_of({{{3, {{"sms", "0"}}}}, {}}, system), InputError);
  EXPECT_THROW(steps_of({{{3, {{"k", "8"}}}}, {}}, system), InputError);
  EXPECT_THROW(steps_of({{{1, {{"at", "noon"}}}}, {}}, system), InputError);
  EXPECT_THROW(steps_of({{{2, {{"k", "8"}}}}, {}}, system), InputError);
  EXPECT_THROW(steps_of({{{1, {}}}, "w1"}, system), InputError);
  System bad = system;
  bad.tokens = {{1, 2, 3}};
  EXPECT_THROW(steps_of({}, bad), InputError);
  EXPECT_EQ(bad.validate().size(), 1u);
}

}  // namespace
}  // namespace fanin::model::safety
