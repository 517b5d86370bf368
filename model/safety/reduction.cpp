#include "reduction.hpp"

#include <algorithm>
#include <limits>

namespace fanin::model::safety {

Reduction::Reduction(const Relations& relations)
    : relations_(&relations), member_(relations.program->steps().size(), 0) {}

void Reduction::reduce(const Machine& machine, std::vector<int>& enabled) {
  if (enabled.size() < 2) return;
  for (const int step : enabled) {
    if (machine.open_rivals(step) == 0) {
      enabled.assign(1, step);
      return;
    }
  }
  auto best = static_cast<int>(enabled.size());
  int best_seed = -1;
  for (const int seed : enabled) {
    const int size = close(machine, seed, best);
    if (size >= best) continue;
    best = size;
    best_seed = seed;
    if (best == 1) break;
  }
  if (best_seed < 0) return;
  close(machine, best_seed, std::numeric_limits<int>::max());
  std::erase_if(enabled, [&](int step) { return member_[step] == 0; });
}

int Reduction::close(const Machine& machine, int seed, int limit) {
  for (const int step : members_) member_[step] = 0;
  members_.clear();
  require(seed);
  int enabled = 0;
  for (std::size_t next = 0; next < members_.size(); ++next) {
    const int step = members_[next];
    if (machine.enabled(step)) {
      if (++enabled >= limit) return limit;
      require_rivals(machine, step);
    } else {
      require_enabler(machine, step);
    }
  }
  return enabled;
}

void Reduction::require_rivals(const Machine& machine, int step) {
  if (machine.open_rivals(step) == 0) return;
  for (const int rival : relations_->rivals[step]) {
    if (!machine.done(rival)) require(rival);
  }
}

void Reduction::require_enabler(const Machine& machine, int step) {
  if (follows_member(step)) return;
  const Step& what = relations_->program->steps()[step];
  const bool ready = machine.ready(step);
  // One open wait is enough; take the one whose raisers add the fewest new members.
  fewest_.clear();
  bool chosen = false;
  for (const Wait& wait : what.waits) {
    // Behind an open predecessor, only a wait that nothing but raisers can change.
    if (!ready && wait.condition == Condition::all_taken) continue;
    if (machine.holds(wait)) continue;
    missing_.clear();
    const auto collect = [&](int word) {
      for (const int raiser : relations_->raisers[word]) {
        if (machine.done(raiser) || member_[raiser] != 0 || follows_member(raiser)) continue;
        if (!relations_->program->precedes(step, raiser)) missing_.push_back(raiser);
      }
    };
    collect(wait.word);
    if (wait.condition == Condition::all_taken) collect(wait.other);
    if (missing_.empty()) return;
    if (!chosen || missing_.size() < fewest_.size()) std::swap(fewest_, missing_);
    chosen = true;
  }
  if (ready) {
    for (const int raiser : fewest_) require(raiser);
    return;
  }
  // The latest open predecessor: the one most likely to lead back to a member.
  const auto open = std::find_if(what.after.rbegin(), what.after.rend(),
                                 [&](int earlier) { return !machine.done(earlier); });
  require(*open);
}

void Reduction::require(int step) {
  if (member_[step] != 0) return;
  member_[step] = 1;
  members_.push_back(step);
}

bool Reduction::follows_member(int step) const {
  return std::any_of(members_.begin(), members_.end(), [&](int member) {
    return member < step && relations_->program->precedes(member, step);
  });
}

}  // namespace fanin::model::safety
