// A protocol as an explorer sees it: shared words, and steps that wait for them and change them.
//
// Every step runs exactly once; loops are unrolled. A step may run when all steps in `after` have
// run and all its waits hold. Steps are atomic, and whatever is concurrent on the machine is two
// steps without an order between them: a post and its becoming visible, a poll and the clear that
// follows. A plain store takes effect in the step that carries it; because nobody waits for a word
// to become zero, running that step late is the same as the store staying in a buffer until the
// next barrier.
#pragma once

#include <cstdint>
#include <string>
#include <unordered_map>
#include <vector>

namespace fanin::model::safety {

/// A signal word holds finish flags and a token count, as pack2(finish, tokens), and remembers (for
/// the checks only) which exchanges contributed. A row buffer holds one row: empty, full or taken.
struct Word {
  std::string name;  ///< in the protocol's words, e.g. "tail[0][1] at FFN 0"
  bool is_row = false;
};

enum class Action {
  add,    ///< remote fetch-add (or NVLink release add) of (finish, tokens)
  put,    ///< a WRITE of a signal word: replaces what is there by (finish, tokens)
  check,  ///< the word is taken as the end of this exchange's list: must be exactly (finish,
          ///< tokens)
  clear,  ///< plain store of zero: erases exactly (finish, tokens) of this exchange, else a
          ///< violation
  fill,   ///< a row is written: the buffer must not hold an unread row
  take    ///< a row is read for the last time: must be full with this exchange's row
};

struct Effect {
  Action action = Action::add;
  int word = 0;
  int finish = 0;
  int tokens = 0;
};

enum class Condition {
  finish_at_least,  ///< finish flags of `word` ≥ amount
  tokens_at_least,  ///< tokens of `word` ≥ amount
  all_taken         ///< tokens of `word` equal those of `other` (rows taken so far)
};

struct Wait {
  Condition condition = Condition::finish_at_least;
  int word = 0;
  int amount = 1;
  int other = -1;
};

struct Step {
  std::string actor;       ///< who: "Attention 1 A1 dispatch", "network FFN 0 → Attention 1"
  std::string text;        ///< what, without the actor
  int exchange = 0;        ///< from 0
  int gpu = 0;             ///< groups that a biased scheduler may starve together:
  int queue = 0;           ///<   steps of one GPU, of one queue or warp
  bool network = false;    ///< an operation becoming visible at its peer
  std::vector<int> after;  ///< earlier steps, by index
  std::vector<Wait> waits;
  std::vector<Effect> effects;
};

/// Steps in an order that respects `after`.
class Program {
 public:
  /// The word of that name, made on first use. A name always is a row or always a signal.
  int signal(const std::string& name);
  int row(const std::string& name);

  /// Appends and returns the step's index. Throws std::logic_error when `after` names no earlier
  /// step or an effect does not fit its word.
  int add(Step step);

  /// True when `earlier` runs before `later` in every schedule, by the steps' `after` alone.
  bool precedes(int earlier, int later) const;

  const std::vector<Word>& words() const { return words_; }
  const std::vector<Step>& steps() const { return steps_; }

 private:
  int word(const std::string& name, bool is_row);

  std::vector<Word> words_;
  std::unordered_map<std::string, int> index_;
  std::vector<Step> steps_;
  std::vector<std::vector<std::uint64_t>> before_;  ///< per step: bit set of all steps before it
};

}  // namespace fanin::model::safety
