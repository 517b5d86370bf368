#include <gtest/gtest.h>

#include <stdexcept>

#include "fanin/model/safety_program.hpp"

namespace fanin::model::safety {
namespace {

Step named(const std::string& text, std::vector<int> after = {}) {
  Step step;
  step.text = text;
  step.after = std::move(after);
  return step;
}

TEST(Program, OrderIsTransitive) {
  Program program;
  const int a = program.add(named("a"));
  const int b = program.add(named("b", {a}));
  const int c = program.add(named("c", {b}));
  const int d = program.add(named("d", {a}));
  EXPECT_TRUE(program.precedes(a, c));
  EXPECT_FALSE(program.precedes(c, a));
  EXPECT_FALSE(program.precedes(c, d));
  EXPECT_FALSE(program.precedes(d, c));
  EXPECT_FALSE(program.precedes(a, a));
}

TEST(Program, OrderHoldsAcrossManySteps) {
  Program program;
  int last = program.add(named("0"));
  const int first = last;
  for (int i = 1; i < 200; ++i) last = program.add(named(std::to_string(i), {last}));
  const int apart = program.add(named("apart"));
  EXPECT_TRUE(program.precedes(first, last));
  EXPECT_FALSE(program.precedes(first, apart));
}

TEST(Program, KeepsOnlyDirectPredecessors) {
  Program program;
  const int a = program.add(named("a"));
  const int b = program.add(named("b", {a}));
  const int c = program.add(named("c", {a, b, a}));
  EXPECT_EQ(program.steps()[c].after, std::vector<int>{b});
}

TEST(Program, RefusesStepsFromTheFuture) {
  Program program;
  EXPECT_THROW(program.add(named("a", {0})), std::logic_error);
}

TEST(Program, RefusesARowUsedAsASignal) {
  Program program;
  const int row = program.row("slot");
  EXPECT_EQ(program.row("slot"), row);
  EXPECT_THROW(program.signal("slot"), std::logic_error);
  Step step = named("adds to a row");
  step.effects = {{Action::add, row, 1, 0}};
  EXPECT_THROW(program.add(step), std::logic_error);
}

}  // namespace
}  // namespace fanin::model::safety
