// The state of a program while it runs: which steps have run, and what the words hold.
#pragma once

#include <array>
#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "fanin/model/safety.hpp"
#include "relations.hpp"

namespace fanin::model::safety {

/// What a word holds. Exchanges count from 1 here, so that 0 is "none yet".
struct Content {
  std::uint8_t finish = 0;  ///< finish flags; of a row: 1 = full
  std::uint8_t first = 0;   ///< earliest exchange that contributed
  std::uint8_t last = 0;    ///< latest exchange that contributed
  std::uint8_t unused = 0;
  std::uint32_t tokens = 0;
  bool operator==(const Content&) const = default;
};

struct Violation {
  ViolationKind kind = ViolationKind::deadlock;
  std::string text;
};

/// 128 bits, so that 10⁸ states collide with a probability below 10⁻²².
struct Fingerprint {
  std::uint64_t low = 0;
  std::uint64_t high = 0;
  bool operator==(const Fingerprint&) const = default;
};

class Machine {
 public:
  /// With history the machine can go back, and knows its fingerprint and open rivals; without, it
  /// is faster.
  Machine(const Relations& relations, bool keep_history);

  /// Runs an enabled step. A violation leaves the state as the step's remaining effects make it.
  std::optional<Violation> run(int step);
  /// Takes the last step back.
  void undo();
  void reset();

  bool done(int step) const { return done_[step] != 0; }
  int done_count() const { return done_count_; }
  /// All its predecessors have run, itself has not; its waits may be open.
  bool ready(int step) const { return done_[step] == 0 && open_predecessors_[step] == 0; }
  bool holds(const Wait& wait) const;
  bool enabled(int step) const;
  /// Rivals of the step (Relations) that have not run yet.
  int open_rivals(int step) const { return open_rivals_[step]; }
  const Content& content(int word) const { return content_[word]; }
  Fingerprint fingerprint() const { return fingerprint_; }
  const Relations& relations() const { return *relations_; }

  /// With no step enabled: what is wrong with ending here, if anything.
  std::optional<Violation> verdict_at_end() const;

 private:
  struct Change {
    int word;
    Content before;
  };

  std::optional<Violation> apply(const Effect& effect, const Step& step);
  void store(int word, const Content& content);
  void mark(int step, int delta);

  const Relations* relations_;
  bool keep_history_;
  int done_count_ = 0;
  std::vector<std::uint8_t> done_;
  std::vector<std::int32_t> open_predecessors_;
  std::vector<std::int32_t> open_rivals_;
  std::vector<Content> content_;
  Fingerprint fingerprint_;
  std::vector<Change> changes_;
  std::vector<std::pair<int, std::size_t>> history_;  ///< step, changes_ size before it
};

}  // namespace fanin::model::safety
