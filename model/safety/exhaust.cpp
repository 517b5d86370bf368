#include <limits>
#include <vector>

#include "findings.hpp"
#include "machine.hpp"
#include "reduction.hpp"
#include "search.hpp"
#include "state_table.hpp"

namespace fanin::model::safety {
namespace {

constexpr std::uint64_t progress_every = std::uint64_t{1} << 16;

std::uint64_t saturating_sum(std::uint64_t a, std::uint64_t b) {
  return a > std::numeric_limits<std::uint64_t>::max() - b
             ? std::numeric_limits<std::uint64_t>::max()
             : a + b;
}

class Exhaustion {
 public:
  Exhaustion(const Relations& relations, const Options& options)
      : options_(&options),
        steps_(static_cast<int>(relations.program->steps().size())),
        machine_(relations),
        reduction_(relations),
        findings_(relations),
        choices_(steps_ + 1),
        ready_at_(steps_ + 1) {}

  Verdict run() {
    for (int step = 0; step < steps_; ++step) {
      if (machine_.ready(step)) ready_at_[0].push_back(step);
    }
    const std::uint64_t schedules = visit(0);
    Verdict verdict;
    verdict.states = seen_.size();
    verdict.schedules = schedules;
    verdict.violations = findings_.count();
    verdict.exhausted = !stopped_;
    verdict.first_violation = findings_.shortest();
    return verdict;
  }

 private:
  /// Complete schedules from here on, through states not seen before or seen and counted.
  std::uint64_t visit(int depth) {
    bool is_new = false;
    const std::uint64_t known = seen_.at(machine_.fingerprint(), is_new);
    if (!is_new) return known;
    if (seen_.size() >= options_->max_states) stopped_ = true;
    if (options_->progress && seen_.size() % progress_every == 0) {
      options_->progress({{}, {}, seen_.size(), 0});
    }
    std::vector<int>& choices = choices_[depth];
    choices.clear();
    for (const int step : ready_at_[depth]) {
      if (machine_.enabled(step)) choices.push_back(step);
    }
    std::uint64_t schedules = 0;
    if (choices.empty()) {
      if (machine_.verdict_at_end()) report();
      schedules = 1;
    } else {
      if (options_->reduction) reduction_.reduce(machine_, choices);
      for (std::size_t i = 0; i < choices.size() && !stopped_; ++i) {
        schedules = saturating_sum(schedules, follow(choices[i], depth));
      }
    }
    seen_.at(machine_.fingerprint(), is_new) = schedules;
    return schedules;
  }

  std::uint64_t follow(int step, int depth) {
    std::uint64_t schedules = 1;
    path_.push_back(step);
    if (machine_.run(step)) {
      advance_ready(step, depth);
      schedules = visit(depth + 1);
    } else {
      report();
    }
    machine_.undo();
    path_.pop_back();
    return schedules;
  }

  void advance_ready(int step, int depth) {
    std::vector<int>& next = ready_at_[depth + 1];
    next.clear();
    for (const int other : ready_at_[depth]) {
      if (other != step) next.push_back(other);
    }
    for (const int later : machine_.relations().successors[step]) {
      if (machine_.ready(later)) next.push_back(later);
    }
  }

  void report() {
    findings_.add(path_);
    if (options_->stop_at_first) stopped_ = true;
  }

  const Options* options_;
  int steps_;
  Machine machine_;
  Reduction reduction_;
  Findings findings_;
  StateTable seen_;
  std::vector<std::vector<int>> choices_;   ///< per depth
  std::vector<std::vector<int>> ready_at_;  ///< per depth: steps whose predecessors have all run
  std::vector<int> path_;
  bool stopped_ = false;
};

}  // namespace

Verdict exhaust(const Relations& relations, const Options& options) {
  return Exhaustion(relations, options).run();
}

}  // namespace fanin::model::safety
