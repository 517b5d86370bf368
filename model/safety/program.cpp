#include <algorithm>
#include <stdexcept>

#include "fanin/model/safety_program.hpp"

namespace fanin::model::safety {
namespace {

constexpr std::size_t bits = 64;

bool is_row_action(Action action) { return action == Action::fill || action == Action::take; }

}  // namespace

int Program::signal(const std::string& name) { return word(name, false); }
int Program::row(const std::string& name) { return word(name, true); }

int Program::word(const std::string& name, bool is_row) {
  const auto [place, is_new] = index_.try_emplace(name, static_cast<int>(words_.size()));
  if (is_new) words_.push_back({name, is_row});
  if (words_[place->second].is_row != is_row) {
    throw std::logic_error(name + " is used as a row and as a signal");
  }
  return place->second;
}

int Program::add(Step step) {
  const auto self = static_cast<int>(steps_.size());
  std::sort(step.after.begin(), step.after.end());
  step.after.erase(std::unique(step.after.begin(), step.after.end()), step.after.end());
  std::vector<std::uint64_t> before(steps_.size() / bits + 1, 0);
  for (const int earlier : step.after) {
    if (earlier < 0 || earlier >= self)
      throw std::logic_error(step.text + " follows no earlier step");
    const auto& theirs = before_[earlier];
    for (std::size_t i = 0; i < theirs.size(); ++i) before[i] |= theirs[i];
    before[earlier / bits] |= std::uint64_t{1} << (earlier % bits);
  }
  // Only the last steps of each chain say something new.
  std::erase_if(step.after, [&](int earlier) {
    return std::any_of(step.after.begin(), step.after.end(),
                       [&](int other) { return precedes(earlier, other); });
  });
  for (const Effect& effect : step.effects) {
    if (words_.at(effect.word).is_row != is_row_action(effect.action)) {
      throw std::logic_error(step.text + " does not fit " + words_[effect.word].name);
    }
  }
  before_.push_back(std::move(before));
  steps_.push_back(std::move(step));
  return self;
}

bool Program::precedes(int earlier, int later) const {
  const auto& before = before_[later];
  const std::size_t place = earlier / bits;
  return place < before.size() && ((before[place] >> (earlier % bits)) & 1) != 0;
}

}  // namespace fanin::model::safety
