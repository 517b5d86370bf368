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

/// Pairs among the users of each word.
std::vector<std::vector<int>> find_rivals(const Program& program,
                                          const std::vector<std::vector<int>>& users) {
  const std::vector<Step>& steps = program.steps();
  std::vector<std::vector<int>> rivals(steps.size());
  for (const std::vector<int>& sharing : users) {
    for (std::size_t i = 0; i < sharing.size(); ++i) {
      for (std::size_t j = i + 1; j < sharing.size(); ++j) {
        const int a = sharing[i];
        const int b = sharing[j];
        if (program.precedes(a, b) || !conflict(steps[a], steps[b])) continue;
        rivals[a].push_back(b);
        rivals[b].push_back(a);
      }
    }
  }
  for (std::vector<int>& list : rivals) {
    std::sort(list.begin(), list.end());
    list.erase(std::unique(list.begin(), list.end()), list.end());
  }
  return rivals;
}

/// The successors of each step, and who waits for a word that it changes, unless that came before.
std::vector<std::vector<int>> find_woken(const Program& program,
                                         const std::vector<std::vector<int>>& successors,
                                         const std::vector<std::vector<int>>& waiting) {
  std::vector<std::vector<int>> woken = successors;
  for (int step = 0; step < static_cast<int>(woken.size()); ++step) {
    for (const Effect& effect : program.steps()[step].effects) {
      for (const int waiter : waiting[effect.word]) {
        if (waiter != step && !program.precedes(waiter, step)) woken[step].push_back(waiter);
      }
    }
    std::sort(woken[step].begin(), woken[step].end());
    woken[step].erase(std::unique(woken[step].begin(), woken[step].end()), woken[step].end());
  }
  return woken;
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
  const std::size_t count = steps.size();
  std::vector<std::vector<Effect>> all_effects;
  std::vector<std::vector<Wait>> all_waits;
  std::vector<std::vector<int>> later(count);
  std::vector<std::vector<int>> raising(of.words().size());
  std::vector<std::vector<int>> waiting(of.words().size());
  std::vector<std::vector<int>> users(of.words().size());
  for (int step = 0; step < static_cast<int>(count); ++step) {
    all_effects.push_back(steps[step].effects);
    all_waits.push_back(steps[step].waits);
    for (const int earlier : steps[step].after) later[earlier].push_back(step);
    for (const int word : touched(steps[step])) users[word].push_back(step);
    for (const Effect& effect : steps[step].effects) {
      if (raises(effect)) raising[effect.word].push_back(step);
    }
    for (const Wait& wait : steps[step].waits) {
      waiting[wait.word].push_back(step);
      if (wait.other >= 0) waiting[wait.other].push_back(step);
    }
  }
  effects = Lists<Effect>(all_effects);
  waits = Lists<Wait>(all_waits);
  successors = Lists<int>(later);
  raisers = Lists<int>(raising);
  woken = Lists<int>(find_woken(of, later, waiting));
  rivals = Lists<int>(find_rivals(of, users));
}

}  // namespace fanin::model::safety
