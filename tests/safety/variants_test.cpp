#include <gtest/gtest.h>

#include <algorithm>
#include <map>

#include "fanin/hw/error.hpp"
#include "fanin/model/fixes.hpp"
#include "fanin/model/fixes_text.hpp"
#include "fanin/model/safety.hpp"

namespace fanin::model::safety {
namespace {

Verdict on_small_systems(const Variant& variant) {
  Options options;
  // Without any barrier between kernels, w10, there are too many states to visit all.
  options.max_states = variant.wrong == "w10" ? 10'000 : 100'000;
  Verdict total;
  total.exhausted = true;
  for (const System& system : small_systems(protocol_of(variant))) {
    if (fits(variant, system)) merge(total, explore(variant, system, options));
  }
  return total;
}

void expect_safe(const Variant& variant) {
  const Verdict verdict = on_small_systems(variant);
  EXPECT_TRUE(verdict.safe()) << to_string(variant) << ": " << verdict.first_violation->text;
  EXPECT_TRUE(verdict.exhausted) << to_string(variant);
}

/// The catalogue's fixes that a protocol has.
std::vector<Fix> fixes_of(Protocol protocol) {
  std::vector<Fix> fixes;
  for (const Fix& fix : single_fixes()) {
    if (fits({{fix}, {}, protocol}, small_systems(protocol).front())) fixes.push_back(fix);
  }
  return fixes;
}

TEST(Variants, RightOnesAreSafe) {
  expect_safe({});
  for (const Fix& fix : fixes_of(Protocol::role)) expect_safe({{fix}, {}});
  for (const char* fixes :
       {"1+5", "1+9", "4+8", "5+9", "7+9", "5+7", "3+5+6+9", "3+4+6+8:occupancy=count"}) {
    expect_safe({parse_fixes(fixes), {}});
  }
}

TEST(Variants, RightOnesAreSafeOnTheSymmetricExchange) {
  expect_safe({{}, {}, Protocol::symmetric});
  for (const Fix& fix : fixes_of(Protocol::symmetric)) {
    expect_safe({{fix}, {}, Protocol::symmetric});
  }
  for (const char* fixes : {"10+11+12+13", "1+5+9+10", "7+9+10+11+12+13", "3+4+6+8+10+11+12"}) {
    expect_safe({parse_fixes(fixes), {}, Protocol::symmetric});
  }
}

/// One catalogue: what the simulator knows the explorer knows, and both refuse the same.
TEST(Variants, EveryFixOfTheCatalogueHasSteps) {
  const std::size_t all = single_fixes().size();
  // 10 to 13 are symmetric only, 2 is for roles only.
  EXPECT_EQ(fixes_of(Protocol::role).size(), all - 4);
  EXPECT_EQ(fixes_of(Protocol::symmetric).size(), all - 1);
  for (const Protocol protocol : {Protocol::role, Protocol::symmetric}) {
    Exchange exchange;
    exchange.protocol = protocol;
    const System system = small_systems(protocol).front();
    for (const Fix& one : single_fixes()) {
      for (const Fix& other : single_fixes()) {
        if (one.number >= other.number) continue;
        const std::vector<Fix> fixes = {one, other};
        const bool allowed = fix_problems(exchange, fixes).empty();
        const Variant variant{fixes, {}, protocol};
        EXPECT_EQ(fits(variant, system), allowed) << to_string(variant);
        if (allowed) continue;
        EXPECT_THROW(steps_of(variant, system), InputError) << to_string(variant);
      }
    }
  }
}

TEST(Variants, RefusalGivesTheReason) {
  try {
    steps_of({parse_fixes("1+7"), {}}, small_systems().front());
    FAIL();
  } catch (const InputError& error) {
    EXPECT_NE(std::string(error.what()).find("7 leaves no empty finish to post early"),
              std::string::npos);
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
    EXPECT_EQ(verdict.exhausted, wrong != "w10") << wrong;
  }
}

TEST(Variants, WrongOnesAreCaughtBySampling) {
  for (const std::string& wrong : wrong_names()) {
    Options sampling;
    sampling.samples = 2000;
    sampling.stop_at_first = true;
    const Variant variant{{}, wrong};
    const System system = large_systems(protocol_of(variant)).front();
    EXPECT_EQ(explore(variant, system, sampling).safe(), expected_safe(variant)) << wrong;
  }
}

TEST(Variants, WrongOnesFailInTheirOwnWay) {
  const std::map<std::string, ViolationKind> kinds = {
      {"w1", ViolationKind::cleared_after_reuse}, {"w2", ViolationKind::cleared_after_reuse},
      {"w3", ViolationKind::read_before_written}, {"w4", ViolationKind::token_lost},
      {"w5", ViolationKind::overwritten_in_use},  {"w6", ViolationKind::read_before_written},
      {"w7", ViolationKind::cleared_after_reuse}, {"w8", ViolationKind::deadlock},
      {"w9", ViolationKind::token_lost},          {"w10", ViolationKind::cleared_after_reuse}};
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

/// The explorer cannot tell fix 6 from the baseline (Rules says why), and must see all others.
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

/// Fix 10 with two Attention domains: the finishes both ways, in both phases, and their posts where
/// nothing else is in them.
TEST(Variants, ElisionsRemoveSteps) {
  const System system = small_systems(Protocol::symmetric)[3];
  const auto steps = [&](const char* fixes) {
    return steps_of({parse_fixes(fixes), {}, Protocol::symmetric}, system).steps().size();
  };
  const std::size_t visible = 2 * 2 * 2 * 3;  // directions, phases, channels, exchanges
  EXPECT_LE(steps("10"), steps("none") - visible);
  EXPECT_EQ(steps("11"), steps("none") - 2 * 3);  // a single FFN domain: only its own lists' ends
  EXPECT_EQ(steps("12"), steps("none") - 2 * 2 * 3);
}

TEST(Variants, CacheAnswersOnce) {
  VerdictCache cache;
  const Verdict& first = cache.verdict(parse_fixes("4+8"));
  EXPECT_TRUE(first.safe());
  EXPECT_EQ(&first, &cache.verdict(parse_fixes("4+8")));
  EXPECT_NE(&first, &cache.verdict(parse_fixes("4+8"), Protocol::symmetric));
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
  EXPECT_THROW(steps_of({{{10, {}}}, {}, Protocol::symmetric}, system), InputError);
  System bad = system;
  bad.tokens = {{1, 2, 3}};
  EXPECT_THROW(steps_of({}, bad), InputError);
  EXPECT_EQ(bad.validate().size(), 1u);
}

}  // namespace
}  // namespace fanin::model::safety
