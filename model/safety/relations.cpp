#include "relations.hpp"

#include <algorithm>

namespace fanin::model::safety {
namespace {

/// How a step touches a word, from harmless to exclusive.
enum class Touch { none, watches, adds, exclusive };

Touch touch(const Step& step, int word) {
  Touch strongest = Touch::none;
  for (const Wait& wait : step.waits) {
    if (wait.condition == Condition::all_taken) {
      if (wait.word == word || wait.other == word) return Touch::exclusive;
    } else if (wait.word == word) {
      strongest = Touch::watches;
    }
  }
  for (const Effect& effect : step.effects) {
    if (effect.word != word) continue;
    if (effect.action != Action::add) return Touch::exclusive;
    strongest = Touch::adds;
  }
  return strongest;
}

std::vector<int> touched(const Step& step) {
  std::vector<int> words;
  for (const Wait& wait : step.waits) {
    words.push_back(wait.word);
    if (wait.other >= 0) words.push_back(wait.other);
  }
  for (const Effect& effect : step.effects) words.push_back(effect.word);
  std::sort(words.begin(), words.end());
  words.erase(std::unique(words.begin(), words.end()), words.end());
  return words;
}

bool raises(const Effect& effect) {
  return effect.action == Action::add || effect.action == Action::put;
}

}  // namespace

bool conflict(const Step& a, const Step& b) {
  const std::vector<int> words = touched(a);
  return std::any_of(words.begin(), words.end(), [&](int word) {
    const Touch mine = touch(a, word);
    const Touch theirs = touch(b, word);
    return theirs != Touch::none && (mine == Touch::exclusive || theirs == Touch::exclusive);
  });
}

Relations::Relations(const Program& of) : program(&of) {
  const std::vector<Step>& steps = of.steps();
  const auto count = static_cast<int>(steps.size());
  successors.resize(count);
  rivals.resize(count);
  raisers.resize(of.words().size());
  waiters.resize(of.words().size());
  std::vector<std::vector<int>> users(of.words().size());
  for (int step = 0; step < count; ++step) {
    for (const int earlier : steps[step].after) successors[earlier].push_back(step);
    for (const int word : touched(steps[step])) users[word].push_back(step);
    for (const Effect& effect : steps[step].effects) {
      if (raises(effect)) raisers[effect.word].push_back(step);
    }
    for (const Wait& wait : steps[step].waits) {
      waiters[wait.word].push_back(step);
      if (wait.other >= 0) waiters[wait.other].push_back(step);
    }
  }
  for (const std::vector<int>& sharing : users) {
    for (std::size_t i = 0; i < sharing.size(); ++i) {
      for (std::size_t j = i + 1; j < sharing.size(); ++j) {
        const int a = sharing[i];
        const int b = sharing[j];
        if (of.precedes(a, b) || !conflict(steps[a], steps[b])) continue;
        rivals[a].push_back(b);
        rivals[b].push_back(a);
      }
    }
  }
  for (std::vector<int>& list : rivals) {
    std::sort(list.begin(), list.end());
    list.erase(std::unique(list.begin(), list.end()), list.end());
  }
}

}  // namespace fanin::model::safety
