// The state of a program while it runs: which steps have run, and what the words hold.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "content.hpp"
#include "fanin/model/safety.hpp"
#include "relations.hpp"

namespace fanin::model::safety {

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
  explicit Machine(const Relations& relations);

  /// Runs an enabled step; false when it violates, and then violation() says how.
  bool run(int step);
  const Violation& violation() const { return violation_; }
  /// Takes the last step back.
  void undo();

  bool done(int step) const { return open_predecessors_[step] >= has_run; }
  int done_count() const { return done_count_; }
  /// All its predecessors have run, itself has not; its waits may be open.
  bool ready(int step) const { return open_predecessors_[step] == 0; }
  bool holds(const Wait& wait) const;
  bool enabled(int step) const;
  bool any_enabled() const;
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

  /// Added to a step's open predecessors once it has run.
  static constexpr std::int32_t has_run = 1 << 24;

  bool apply(const Effect& effect, int now);
  void report(const Effect& effect, const Content& content, int now);
  void store(int word, const Content& content);
  void mark(int step, int delta);

  const Relations* relations_;
  int done_count_ = 0;
  std::vector<std::int32_t> open_predecessors_;
  std::vector<std::int32_t> open_rivals_;
  std::vector<Content> content_;
  Fingerprint fingerprint_;
  Violation violation_;
  std::vector<Change> changes_;
  std::vector<std::pair<int, std::size_t>> history_;  ///< step, changes_ size before it
};

}  // namespace fanin::model::safety
