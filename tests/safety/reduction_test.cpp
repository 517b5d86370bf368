// The reduced search must agree with the search of every interleaving: whether there is a
// violation, of which kinds, and how the complete schedules end.
#include <gtest/gtest.h>

#include <cstdint>

#include "fanin/model/fixes_text.hpp"
#include "fanin/model/safety.hpp"

namespace fanin::model::safety {
namespace {

/// Small enough for every interleaving: hundreds of thousands of states, not billions.
System tiny(int sources, std::vector<std::vector<int>> tokens, Protocol protocol = Protocol::role) {
  System system;
  system.protocol = protocol;
  system.name = "tiny";
  system.sources = sources;
  system.channels_per_sm = 1;
  system.contexts = 1;
  system.count_writes = 1;
  system.tokens = std::move(tokens);
  return system;
}

void expect_agreement(const Variant& variant, const System& system) {
  const Program program = steps_of(variant, system);
  Options full;
  full.reduction = false;
  full.max_states = 3'000'000;
  const Verdict every = explore(program, full);
  const Verdict reduced = explore(program);
  ASSERT_TRUE(every.exhausted) << to_string(variant);
  ASSERT_TRUE(reduced.exhausted) << to_string(variant);
  EXPECT_EQ(every.safe(), reduced.safe()) << to_string(variant);
  EXPECT_LE(reduced.states, every.states) << to_string(variant);
  EXPECT_LE(reduced.schedules, every.schedules) << to_string(variant);
}

TEST(Reduction, AgreesOnTheFixes) {
  for (const char* fixes :
       {"none", "1", "1:at=exit", "2", "5", "7", "8", "8:occupancy=count", "9", "1+9", "7+9"}) {
    expect_agreement({parse_fixes(fixes), {}}, tiny(1, {{1}, {0}, {1}}));
    expect_agreement({parse_fixes(fixes), {}}, tiny(2, {{1, 0}, {0, 1}}));
  }
}

TEST(Reduction, AgreesOnTheWrongVariants) {
  for (const std::string& wrong : wrong_names()) {
    const Variant variant{{}, wrong};
    if (protocol_of(variant) == Protocol::symmetric) continue;
    expect_agreement(variant, tiny(1, {{1}, {0}, {1}}));
    expect_agreement(variant, tiny(2, {{1, 0}, {0, 1}}));
  }
}

TEST(Reduction, AgreesOnTheSymmetricExchange) {
  const System system = tiny(1, {{1}, {0}}, Protocol::symmetric);
  for (const char* fixes : {"none", "7", "10+11+12+13"})
    expect_agreement({parse_fixes(fixes), {}, Protocol::symmetric}, system);
  for (const char* wrong : {"w10", "w1symmetric"}) expect_agreement({{}, wrong}, system);
}

TEST(Reduction, AgreesOnTwoChannels) {
  System system = tiny(1, {{2}, {0}});
  system.channels_per_sm = 2;
  system.contexts = 2;
  for (const std::string& wrong : wrong_names()) {
    if (protocol_of({{}, wrong}) == Protocol::role) expect_agreement({{}, wrong}, system);
  }
  expect_agreement({}, system);
}

/// Programs that no protocol would have: random waits, adds, clears and rows.
TEST(Reduction, AgreesOnRandomPrograms) {
  std::uint64_t state = 7;
  const auto below = [&](int limit) {
    state = state * 6364136223846793005u + 1442695040888963407u;
    return static_cast<int>((state >> 33) % static_cast<std::uint64_t>(limit));
  };
  int unsafe = 0;
  constexpr int programs = 2000;
  for (int round = 0; round < programs; ++round) {
    Program program;
    const int signals[] = {program.signal("a"), program.signal("b")};
    const int row = program.row("r");
    const int count = 4 + below(5);
    for (int i = 0; i < count; ++i) {
      Step step;
      step.exchange = below(2);
      if (i > 0 && below(2) == 0) step.after.push_back(below(i));
      if (below(3) == 0) {
        step.waits.push_back({Condition::finish_at_least, signals[below(2)], 1, -1});
      }
      if (below(6) == 0) step.waits.push_back({Condition::all_taken, signals[0], 0, signals[1]});
      switch (below(5)) {
        case 0: step.effects.push_back({Action::clear, signals[below(2)], 1, 0}); break;
        case 1: step.effects.push_back({Action::put, signals[below(2)], 1, below(2)}); break;
        case 2:
          step.effects.push_back({below(2) == 0 ? Action::fill : Action::take, row, 0, 0});
          break;
        default: step.effects.push_back({Action::add, signals[below(2)], 1, below(2)}); break;
      }
      program.add(step);
    }
    Options full;
    full.reduction = false;
    const Verdict every = explore(program, full);
    const Verdict reduced = explore(program);
    ASSERT_EQ(every.safe(), reduced.safe()) << "program " << round;
    unsafe += every.safe() ? 0 : 1;
  }
  EXPECT_GT(unsafe, 0);
}

TEST(Reduction, RightVariantsAreOrderedByTheirSignals) {
  // Without a race hardly any two conflicting steps are concurrent, so few classes of schedules are
  // left.
  const Verdict verdict = explore(Variant{}, small_systems().back());
  EXPECT_LE(verdict.schedules, 16u);
}

}  // namespace
}  // namespace fanin::model::safety
