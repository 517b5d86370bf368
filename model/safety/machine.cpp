#include "machine.hpp"

#include <algorithm>

namespace fanin::model::safety {
namespace {

std::uint64_t mix(std::uint64_t x) {
  x += 0x9E3779B97F4A7C15u;
  x = (x ^ (x >> 30)) * 0xBF58476D1CE4E5B9u;
  x = (x ^ (x >> 27)) * 0x94D049BB133111EBu;
  return x ^ (x >> 31);
}

Fingerprint key(std::uint64_t a, std::uint64_t b) {
  const std::uint64_t low = mix(mix(a) ^ b);
  return {low, mix(low ^ mix(b + 0x632BE59BD9B4E019u))};
}

void toggle(Fingerprint& fingerprint, const Fingerprint& part) {
  fingerprint.low ^= part.low;
  fingerprint.high ^= part.high;
}

Fingerprint key_of(int word, const Content& content) {
  const std::uint64_t value = content.finish | std::uint64_t{content.first} << 8 |
                              std::uint64_t{content.last} << 16 |
                              static_cast<std::uint64_t>(content.tokens) << 32;
  return key(std::uint64_t(word) << 1, value);
}

std::string exchange(int number) { return "exchange " + std::to_string(number); }

std::string count_of(const Content& c) {
  return std::to_string(c.finish) + " finish, " + std::to_string(c.tokens) + " tokens";
}

std::string expected_count(const Effect& e) {
  return std::to_string(e.finish) + " finish, " + std::to_string(e.tokens) + " tokens";
}

/// What is wrong with a check or clear that is not right.
Violation wrong_signal(const Effect& effect, const Content& content, int now,
                       const std::string& name) {
  if (effect.action == Action::clear && content.last > now) {
    return {ViolationKind::cleared_after_reuse,
            "the plain store of " + exchange(now) + " erases what " + exchange(content.last) +
                " already put into " + name + " (" + count_of(content) + "): that signal is lost"};
  }
  if (content.first > now) {
    return {ViolationKind::double_signal,
            name + " gives a signal of " + exchange(content.first) + " to " + exchange(now)};
  }
  if (content.first != 0 && content.first < now) {
    return {ViolationKind::double_signal,
            name + " still holds a signal of " + exchange(content.first) + " in " + exchange(now)};
  }
  const int tokens = content.tokens;
  if (content.finish > effect.finish || tokens > effect.tokens) {
    return {ViolationKind::double_signal,
            name + " holds " + count_of(content) + " instead of " + expected_count(effect)};
  }
  if (content.finish < effect.finish) {
    return {ViolationKind::lost_signal,
            name + " holds " + count_of(content) + " instead of " + expected_count(effect)};
  }
  return {ViolationKind::token_lost, "by " + name + " the list ends after " +
                                         std::to_string(tokens) + " of " +
                                         std::to_string(effect.tokens) + " tokens"};
}

/// What is wrong with taking a row that is not there, or not this exchange's.
Violation wrong_take(const Content& content, int now, const std::string& name) {
  if (content.last > now) {
    return {ViolationKind::overwritten_in_use,
            name + " already holds the row of " + exchange(content.last)};
  }
  if (content.last < now) {
    return {ViolationKind::read_before_written,
            name + " is read before the row of " + exchange(now) + " is there" +
                (content.last == 0 ? "" : ": it holds that of " + exchange(content.last))};
  }
  return {ViolationKind::token_lost, name + " is taken twice"};
}

}  // namespace

Machine::Machine(const Relations& relations) : relations_(&relations) {
  const std::vector<Step>& steps = relations.program->steps();
  for (std::size_t i = 0; i < steps.size(); ++i) {
    open_predecessors_.push_back(static_cast<int>(steps[i].after.size()));
    open_rivals_.push_back(static_cast<int>(relations.rivals[static_cast<int>(i)].size()));
  }
  content_.resize(relations.program->words().size());
}

bool Machine::holds(const Wait& wait) const {
  return safety::holds(wait, content_[wait.word], content_[std::max(wait.other, 0)]);
}

bool Machine::enabled(int step) const {
  if (!ready(step)) return false;
  const std::span<const Wait> waits = relations_->waits[step];
  return std::all_of(waits.begin(), waits.end(), [&](const Wait& wait) { return holds(wait); });
}

bool Machine::any_enabled() const {
  for (int step = 0; step < static_cast<int>(open_predecessors_.size()); ++step) {
    if (enabled(step)) return true;
  }
  return false;
}

void Machine::mark(int step, int delta) {
  open_predecessors_[step] += delta * has_run;
  done_count_ += delta;
  for (const int later : relations_->successors[step]) open_predecessors_[later] -= delta;
  for (const int rival : relations_->rivals[step]) open_rivals_[rival] -= delta;
  toggle(fingerprint_, key(std::uint64_t(step) << 1 | 1, 1));
}

void Machine::store(int word, const Content& content) {
  Content& place = content_[word];
  if (place == content) return;
  changes_.push_back({word, place});
  toggle(fingerprint_, key_of(word, place));
  place = content;
  toggle(fingerprint_, key_of(word, place));
}

bool Machine::apply(const Effect& effect, int now) {
  const Content before = content_[effect.word];
  const bool right = is_right(effect, before, now);
  if (!right) report(effect, before, now);
  store(effect.word, after(effect, before, now));
  return right;
}

void Machine::report(const Effect& effect, const Content& content, int now) {
  const std::string& name = relations_->program->words()[effect.word].name;
  if (effect.action == Action::fill) {
    violation_ = {ViolationKind::overwritten_in_use,
                  name + " is overwritten for " + exchange(now) + " while the row of " +
                      exchange(content.last) + " has not been read"};
  } else if (effect.action == Action::take) {
    violation_ = wrong_take(content, now, name);
  } else {
    violation_ = wrong_signal(effect, content, now, name);
  }
}

bool Machine::run(int step) {
  history_.emplace_back(step, changes_.size());
  const int now = relations_->program->steps()[step].exchange + 1;
  bool right = true;
  for (const Effect& effect : relations_->effects[step]) {
    // The first violation of the step is the one to tell.
    if (!apply(effect, now)) {
      right = false;
      break;
    }
  }
  mark(step, +1);
  return right;
}

void Machine::undo() {
  const auto [step, size] = history_.back();
  history_.pop_back();
  mark(step, -1);
  while (changes_.size() > size) {
    const Change change = changes_.back();
    changes_.pop_back();
    toggle(fingerprint_, key_of(change.word, content_[change.word]));
    content_[change.word] = change.before;
    toggle(fingerprint_, key_of(change.word, change.before));
  }
}

std::optional<Violation> Machine::verdict_at_end() const {
  const Program& program = *relations_->program;
  if (done_count_ < static_cast<int>(program.steps().size())) {
    std::string waiting;
    for (int step = 0; step < static_cast<int>(program.steps().size()); ++step) {
      if (!ready(step)) continue;
      const Step& what = program.steps()[step];
      if (!waiting.empty()) waiting += "; ";
      waiting +=
          what.actor + " of " + exchange(what.exchange + 1) + " waits for ever: " + what.text;
    }
    return Violation{ViolationKind::deadlock, waiting};
  }
  for (std::size_t word = 0; word < content_.size(); ++word) {
    const Content& content = content_[word];
    if (program.words()[word].is_row) {
      if (content.finish == 0) continue;
      return Violation{ViolationKind::token_lost,
                       program.words()[word].name + " holds a row that nobody read"};
    }
    if (content.finish == 0 && content.tokens == 0) continue;
    return Violation{ViolationKind::double_signal,
                     "a signal is left over in " + program.words()[word].name};
  }
  return std::nullopt;
}

}  // namespace fanin::model::safety
