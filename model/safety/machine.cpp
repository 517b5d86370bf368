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
                              std::uint64_t{content.tokens} << 32;
  return key(std::uint64_t(word) << 1, value);
}

std::string exchange(int number) { return "exchange " + std::to_string(number); }

std::string count_of(const Content& c) {
  return std::to_string(c.finish) + " finish, " + std::to_string(c.tokens) + " tokens";
}

std::string expected_count(const Effect& e) {
  return std::to_string(e.finish) + " finish, " + std::to_string(e.tokens) + " tokens";
}

/// `check` and `clear`: the word must hold exactly this exchange's signals.
std::optional<Violation> judge_signal(const Effect& effect, const Content& content, int now,
                                      const std::string& name) {
  const bool clears = effect.action == Action::clear;
  if (clears && content.last > now) {
    return Violation{ViolationKind::cleared_after_reuse,
                     "the plain store of " + exchange(now) + " erases what " +
                         exchange(content.last) + " already put into " + name + " (" +
                         count_of(content) + "): that signal is lost"};
  }
  if (content.first > now) {
    return Violation{
        ViolationKind::double_signal,
        name + " gives a signal of " + exchange(content.first) + " to " + exchange(now)};
  }
  if (content.first != 0 && content.first < now) {
    return Violation{
        ViolationKind::double_signal,
        name + " still holds a signal of " + exchange(content.first) + " in " + exchange(now)};
  }
  const int tokens = static_cast<int>(content.tokens);
  // A reader tests the flag and compares the count, so only a clear is harmed by a flag too many.
  if ((clears && content.finish > effect.finish) || tokens > effect.tokens) {
    return Violation{ViolationKind::double_signal, name + " holds " + count_of(content) +
                                                       " instead of " + expected_count(effect)};
  }
  if (content.finish < effect.finish) {
    return Violation{ViolationKind::lost_signal, name + " holds " + count_of(content) +
                                                     " instead of " + expected_count(effect)};
  }
  if (tokens < effect.tokens) {
    return Violation{ViolationKind::token_lost, "by " + name + " the list ends after " +
                                                    std::to_string(tokens) + " of " +
                                                    std::to_string(effect.tokens) + " tokens"};
  }
  return std::nullopt;
}

std::optional<Violation> judge_take(const Content& content, int now, const std::string& name) {
  if (content.last > now) {
    return Violation{ViolationKind::overwritten_in_use,
                     name + " already holds the row of " + exchange(content.last)};
  }
  if (content.last < now) {
    return Violation{ViolationKind::read_before_written,
                     name + " is read before the row of " + exchange(now) + " is there" +
                         (content.last == 0 ? "" : ": it holds that of " + exchange(content.last))};
  }
  if (content.finish == 0) {
    return Violation{ViolationKind::token_lost, name + " is taken twice"};
  }
  return std::nullopt;
}

}  // namespace

Machine::Machine(const Relations& relations, bool keep_history)
    : relations_(&relations), keep_history_(keep_history) {
  reset();
}

void Machine::reset() {
  const std::size_t steps = relations_->program->steps().size();
  done_.assign(steps, 0);
  open_predecessors_.assign(steps, 0);
  open_rivals_.assign(steps, 0);
  for (std::size_t i = 0; i < steps; ++i) {
    open_predecessors_[i] = static_cast<int>(relations_->program->steps()[i].after.size());
    open_rivals_[i] = static_cast<int>(relations_->rivals[i].size());
  }
  content_.assign(relations_->program->words().size(), {});
  done_count_ = 0;
  fingerprint_ = {};
  changes_.clear();
  history_.clear();
}

bool Machine::holds(const Wait& wait) const {
  const Content& content = content_[wait.word];
  switch (wait.condition) {
    case Condition::finish_at_least: return content.finish >= wait.amount;
    case Condition::tokens_at_least: return static_cast<int>(content.tokens) >= wait.amount;
    case Condition::all_taken: return content.tokens == content_[wait.other].tokens;
  }
  return false;
}

bool Machine::enabled(int step) const {
  if (!ready(step)) return false;
  const std::vector<Wait>& waits = relations_->program->steps()[step].waits;
  return std::all_of(waits.begin(), waits.end(), [&](const Wait& wait) { return holds(wait); });
}

void Machine::mark(int step, int delta) {
  done_[step] = delta > 0 ? 1 : 0;
  done_count_ += delta;
  for (const int later : relations_->successors[step]) open_predecessors_[later] -= delta;
  if (!keep_history_) return;
  for (const int rival : relations_->rivals[step]) open_rivals_[rival] -= delta;
  toggle(fingerprint_, key(std::uint64_t(step) << 1 | 1, 1));
}

void Machine::store(int word, const Content& content) {
  Content& place = content_[word];
  if (!keep_history_) {
    place = content;
    return;
  }
  changes_.push_back({word, place});
  toggle(fingerprint_, key_of(word, place));
  place = content;
  toggle(fingerprint_, key_of(word, place));
}

std::optional<Violation> Machine::apply(const Effect& effect, const Step& step) {
  const int now = step.exchange + 1;
  const auto tag = static_cast<std::uint8_t>(now);
  const auto finish = static_cast<std::uint8_t>(effect.finish);
  const auto tokens = static_cast<std::uint32_t>(effect.tokens);
  const std::string& name = relations_->program->words()[effect.word].name;
  Content content = content_[effect.word];
  std::optional<Violation> violation;
  switch (effect.action) {
    case Action::add:
      content.finish = static_cast<std::uint8_t>(content.finish + finish);
      content.tokens += tokens;
      content.first = content.first == 0 ? tag : std::min(content.first, tag);
      content.last = std::max(content.last, tag);
      break;
    case Action::put: content = {finish, tag, tag, 0, tokens}; break;
    case Action::check: return judge_signal(effect, content, now, name);
    case Action::clear:
      violation = judge_signal(effect, content, now, name);
      content = {};
      break;
    case Action::fill:
      if (content.finish != 0) {
        violation = Violation{ViolationKind::overwritten_in_use,
                              name + " is overwritten for " + exchange(now) + " while the row of " +
                                  exchange(content.last) + " has not been read"};
      }
      content = {1, tag, tag, 0, 0};
      break;
    case Action::take:
      violation = judge_take(content, now, name);
      content = {0, tag, tag, 0, 0};
      break;
  }
  store(effect.word, content);
  return violation;
}

std::optional<Violation> Machine::run(int step) {
  if (keep_history_) history_.emplace_back(step, changes_.size());
  const Step& what = relations_->program->steps()[step];
  std::optional<Violation> first;
  for (const Effect& effect : what.effects) {
    std::optional<Violation> violation = apply(effect, what);
    if (violation && !first) first = std::move(violation);
  }
  mark(step, +1);
  return first;
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
