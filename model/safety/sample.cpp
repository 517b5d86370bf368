// Schedules drawn with random priorities, as in probabilistic concurrency testing (Burckhardt et
// al., ASPLOS 2010): every group of steps has a priority, the enabled step of the highest priority
// runs, and at a few random moments the group that would run falls behind all others. So in each
// schedule some warps, queues or GPUs starve as long as they can, which uniform random choice
// almost never gives.
#include <algorithm>
#include <bit>
#include <cstdint>
#include <functional>
#include <numeric>
#include <random>
#include <vector>

#include "content.hpp"
#include "findings.hpp"
#include "search.hpp"

namespace fanin::model::safety {
namespace {

constexpr std::uint64_t progress_every = std::uint64_t{1} << 12;
constexpr int most_falls = 3;

/// SplitMix64; draws depend on nothing but the seed, on every platform.
class Random {
 public:
  explicit Random(std::uint64_t seed) : state_(seed) {}
  std::uint64_t next() {
    std::uint64_t x = (state_ += 0x9E3779B97F4A7C15u);
    x = (x ^ (x >> 30)) * 0xBF58476D1CE4E5B9u;
    x = (x ^ (x >> 27)) * 0x94D049BB133111EBu;
    return x ^ (x >> 31);
  }
  int below(int limit) {
    return static_cast<int>(((next() >> 32) * static_cast<std::uint64_t>(limit)) >> 32);
  }

 private:
  std::uint64_t state_;
};

/// A set of small integers that gives its least member.
class RankSet {
 public:
  explicit RankSet(int size) : words_(size / 64 + 1, 0) {}
  void insert(int rank) {
    words_[rank >> 6] |= std::uint64_t{1} << (rank & 63);
    first_ = std::min(first_, static_cast<std::size_t>(rank) >> 6);
  }
  void erase(int rank) { words_[rank >> 6] &= ~(std::uint64_t{1} << (rank & 63)); }
  int least() {
    while (first_ < words_.size() && words_[first_] == 0) ++first_;
    if (first_ == words_.size()) return -1;
    return static_cast<int>(first_ * 64) + std::countr_zero(words_[first_]);
  }
  void clear() { std::fill(words_.begin(), words_.end(), 0); }

 private:
  std::vector<std::uint64_t> words_;
  std::size_t first_ = 0;  ///< no member before this word
};

/// Steps by group, at each of three grains: single steps, warps and queues, GPUs.
class Groups {
 public:
  explicit Groups(const Program& program) {
    const std::vector<Step>& steps = program.steps();
    for (int grain = 0; grain < 3; ++grain) {
      std::vector<int>& group = group_[grain];
      for (std::size_t i = 0; i < steps.size(); ++i) {
        const int id = grain == 0   ? static_cast<int>(i)
                       : grain == 1 ? steps[i].queue
                                    : steps[i].gpu;
        group.push_back(id);
        counts_[grain] = std::max(counts_[grain], id + 1);
      }
      members_[grain].resize(counts_[grain]);
      for (std::size_t i = 0; i < steps.size(); ++i) {
        members_[grain][group[i]].push_back(static_cast<int>(i));
      }
    }
  }
  int count(int grain) const { return counts_[grain]; }
  int of(int grain, int step) const { return group_[grain][step]; }
  const std::vector<int>& members(int grain, int group) const { return members_[grain][group]; }

 private:
  std::vector<int> group_[3];
  int counts_[3] = {0, 0, 0};
  std::vector<std::vector<int>> members_[3];
};

/// A machine that only runs forward. What it finds is replayed by a Machine.
class Runner {
 public:
  explicit Runner(const Relations& relations) : relations_(&relations) {
    for (const Step& step : relations.program->steps()) {
      predecessors_.push_back(static_cast<std::int32_t>(step.after.size()));
      now_.push_back(step.exchange + 1);
    }
    content_.resize(relations.program->words().size());
    reset();
  }

  void reset() {
    open_ = predecessors_;
    std::fill(content_.begin(), content_.end(), Content{});
  }

  bool ready(int step) const { return open_[step] == 0; }

  bool enabled(int step) const {
    if (!ready(step)) return false;
    for (const Wait& wait : relations_->waits[step]) {
      if (!holds(wait, content_[wait.word], content_[std::max(wait.other, 0)])) return false;
    }
    return true;
  }

  /// False when the step violates.
  bool run(int step) {
    bool right = true;
    const int now = now_[step];
    for (const Effect& effect : relations_->effects[step]) {
      Content& content = content_[effect.word];
      right = right && is_right(effect, content, now);
      content = after(effect, content, now);
    }
    open_[step] = -1;
    for (const int later : relations_->successors[step]) --open_[later];
    return right;
  }

  /// No row unread, no signal left.
  bool is_clean() const {
    return std::all_of(content_.begin(), content_.end(), [](const Content& content) {
      return content.finish == 0 && content.tokens == 0;
    });
  }

 private:
  const Relations* relations_;
  std::vector<std::int32_t> predecessors_;
  std::vector<int> now_;
  std::vector<std::int32_t> open_;
  std::vector<Content> content_;
};

class Sampler {
 public:
  Sampler(const Relations& relations, const Options& options)
      : options_(&options),
        relations_(&relations),
        steps_(static_cast<int>(relations.program->steps().size())),
        runner_(relations),
        groups_(*relations.program),
        findings_(relations),
        enabled_(steps_ * (most_falls + 1)),
        rank_(steps_),
        at_rank_(steps_ * (most_falls + 1)) {
    for (int grain = 0; grain < 3; ++grain) {
      order_[grain].resize(groups_.count(grain));
      std::iota(order_[grain].begin(), order_[grain].end(), 0);
    }
  }

  Verdict run() {
    Verdict verdict;
    for (std::uint64_t i = 0; i < options_->samples; ++i) {
      Random random(options_->seed * 0xD1342543DE82EF95u + i);
      draw(random);
      ++verdict.schedules;
      if (options_->progress && (i + 1) % progress_every == 0)
        options_->progress({{}, {}, 0, i + 1});
      if (findings_.count() > 0 && options_->stop_at_first) break;
    }
    verdict.violations = findings_.count();
    verdict.first_violation = findings_.shortest();
    return verdict;
  }

 private:
  void draw(Random& random) {
    prioritise(random);
    runner_.reset();
    enabled_.clear();
    schedule_.clear();
    for (int step = 0; step < steps_; ++step) {
      if (runner_.enabled(step)) enabled_.insert(rank_[step]);
    }
    for (int rank = enabled_.least(); rank >= 0; rank = enabled_.least()) {
      const int step = at_rank_[rank];
      if (!falls_.empty() && static_cast<int>(schedule_.size()) >= falls_.back()) {
        falls_.pop_back();
        fall_behind(groups_.of(grain_, step));
        continue;
      }
      enabled_.erase(rank);
      schedule_.push_back(step);
      if (!runner_.run(step)) {
        findings_.add(schedule_);
        return;
      }
      for (const int other : relations_->woken[step]) {
        if (runner_.ready(other)) refresh(other);
      }
    }
    const bool all = static_cast<int>(schedule_.size()) == steps_;
    if (!all || !runner_.is_clean()) findings_.add(schedule_);
  }

  void refresh(int step) {
    if (runner_.enabled(step)) {
      enabled_.insert(rank_[step]);
    } else {
      enabled_.erase(rank_[step]);
    }
  }

  /// A random order of the groups of a random grain; steps of one group keep the program's order.
  void prioritise(Random& random) {
    grain_ = random.below(3);
    std::vector<int>& order = order_[grain_];
    for (auto i = static_cast<int>(order.size()) - 1; i > 0; --i) {
      std::swap(order[i], order[random.below(i + 1)]);
    }
    next_rank_ = 0;
    for (const int group : order) place(group);
    falls_.clear();
    for (int left = random.below(most_falls + 1); left > 0; --left) {
      falls_.push_back(random.below(steps_));
    }
    std::sort(falls_.begin(), falls_.end(), std::greater<>());
  }

  void place(int group) {
    for (const int step : groups_.members(grain_, group)) {
      rank_[step] = next_rank_;
      at_rank_[next_rank_++] = step;
    }
  }

  void fall_behind(int group) {
    for (const int step : groups_.members(grain_, group)) enabled_.erase(rank_[step]);
    place(group);
    for (const int step : groups_.members(grain_, group)) refresh(step);
  }

  const Options* options_;
  const Relations* relations_;
  int steps_;
  Runner runner_;
  Groups groups_;
  Findings findings_;
  RankSet enabled_;
  std::vector<int> rank_;
  std::vector<int> at_rank_;
  std::vector<int> order_[3];
  std::vector<int> schedule_;
  int next_rank_ = 0;
  int grain_ = 0;
  std::vector<int> falls_;  ///< schedule lengths at which a group falls behind, descending
};

}  // namespace

Verdict sample(const Relations& relations, const Options& options) {
  return Sampler(relations, options).run();
}

}  // namespace fanin::model::safety
