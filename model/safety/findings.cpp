#include "findings.hpp"

#include <algorithm>
#include <utility>

namespace fanin::model::safety {
namespace {

/// Slicing costs the square of a schedule's length, so only the first violations are sliced.
constexpr std::uint64_t sliced = 4096;

bool raises_a_wait(const Step& earlier, const Step& later) {
  return std::any_of(later.waits.begin(), later.waits.end(), [&](const Wait& wait) {
    return std::any_of(earlier.effects.begin(), earlier.effects.end(), [&](const Effect& effect) {
      return effect.word == wait.word || effect.word == wait.other;
    });
  });
}

bool causes(const Program& program, int earlier, int later) {
  const Step& a = program.steps()[earlier];
  const Step& b = program.steps()[later];
  return program.precedes(earlier, later) || conflict(a, b) || raises_a_wait(a, b);
}

/// Running `schedule` from the start: the violation of its last step or, when that is none, of
/// ending there. None when another step violates first or the schedule cannot run.
std::optional<Violation> replay(const Relations& relations, const std::vector<int>& schedule) {
  Machine machine(relations);
  for (std::size_t i = 0; i < schedule.size(); ++i) {
    if (!machine.enabled(schedule[i])) return std::nullopt;
    if (machine.run(schedule[i])) continue;
    if (i + 1 == schedule.size()) return machine.violation();
    return std::nullopt;
  }
  if (machine.any_enabled()) return std::nullopt;
  return machine.verdict_at_end();
}

}  // namespace

std::vector<int> causes_of_last(const Relations& relations, const std::vector<int>& schedule) {
  std::vector<int> kept;
  for (auto step = schedule.rbegin(); step != schedule.rend(); ++step) {
    const bool needed = kept.empty() || std::any_of(kept.begin(), kept.end(), [&](int later) {
                          return causes(*relations.program, *step, later);
                        });
    if (needed) kept.push_back(*step);
  }
  std::reverse(kept.begin(), kept.end());
  return kept;
}

void Findings::add(const std::vector<int>& schedule) {
  if (++count_ > sliced) return;
  std::vector<int> shorter = causes_of_last(*relations_, schedule);
  std::optional<Violation> violation = replay(*relations_, shorter);
  if (!violation) {
    shorter = schedule;
    violation = replay(*relations_, schedule);
  }
  if (!shortest_.empty() && shorter.size() >= shortest_.size()) return;
  shortest_ = std::move(shorter);
  violation_ = std::move(violation.value());
}

std::optional<Counterexample> Findings::shortest() const {
  if (count_ == 0) return std::nullopt;
  Counterexample found;
  found.kind = violation_.kind;
  found.text = violation_.text;
  const Program& program = *relations_->program;
  for (std::size_t i = 0; i < shortest_.size(); ++i) {
    const Step& step = program.steps()[shortest_[i]];
    ScheduleLine line{shortest_[i], step.exchange + 1, step.actor, step.text, {}};
    for (std::size_t j = 0; j < i; ++j) {
      const Step& earlier = program.steps()[shortest_[j]];
      const bool direct =
          std::find(step.after.begin(), step.after.end(), shortest_[j]) != step.after.end();
      if (direct || raises_a_wait(earlier, step)) line.causes.push_back(static_cast<int>(j));
    }
    found.lines.push_back(std::move(line));
  }
  return found;
}

}  // namespace fanin::model::safety
