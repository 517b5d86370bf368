// Is a protocol variant safe? Explores the interleavings of the hybrid exchange's steps, with
// networks that reorder whatever the transport allows, over several exchanges back to back.
//
// Protocol role: the kernels of the protocol description. Protocol symmetric: every GPU runs both
// halves of each kernel, behind an entry barrier over all domains; Attention domains send tokens to
// FFN domains, and nothing but signals goes any other way.
//
// The law of the transport: within one (context, peer) queue two WRITEs become visible in any
// order, and a WRITE may pass a fetch-add; a fetch-add becomes visible after all earlier WRITEs and
// fetch-adds of its queue; across queues nothing is ordered; in relaxed mode a fetch-add passes
// WRITEs too. Posts of different warps to a shared queue are left unordered, which allows more than
// a NIC does. Queue depth is left out: completions always come, so a full queue only delays a post.
#pragma once

#include <cstdint>
#include <functional>
#include <map>
#include <optional>
#include <string>
#include <vector>

#include "fanin/model/exchange.hpp"
#include "fanin/model/safety_program.hpp"

namespace fanin::model::safety {

/// How many of each actor there are, and how many tokens each Attention GPU sends in each exchange.
struct System {
  std::string name;
  Protocol protocol = Protocol::role;
  int sources = 2;          ///< S
  int ffn_domains = 1;      ///< F_d
  int gpus_per_domain = 1;  ///< U, one rail each
  int transport_sms = 1;
  int channels_per_sm = 2;
  int contexts = 2;  ///< A, contexts that carry data; ≥ transport_sms
  int tail_interval = 1;
  int count_writes = 2;        ///< count WRITEs a source sends to each FFN GPU
  bool launch_overlap = true;  ///< the collect kernel may run beside its own exchange's dispatch
  /// tokens[n][s · U + j] of Attention GPU (s, j) in exchange n; one entry an exchange.
  std::vector<std::vector<int>> tokens;

  int channels() const { return transport_sms * channels_per_sm; }
  int exchanges() const { return static_cast<int>(tokens.size()); }
  /// Everything that is wrong, one message an entry, starting with the field's name.
  std::vector<std::string> validate() const;
};

/// The baseline with fixes of the catalogue (fixes.hpp), or a planted wrong variant.
struct Variant {
  std::vector<Fix> fixes;
  std::string wrong;  ///< "" or a name of wrong_names(); it brings the fixes that it breaks
  Protocol protocol = Protocol::role;  ///< without effect on a wrong variant, which has its own
};

/// "baseline", "4+8", "1:at=exit", "symmetric 7", "w3".
std::string to_string(const Variant& variant);
Protocol protocol_of(const Variant& variant);
/// The system has the variant's protocol, and the fixes go together there.
bool fits(const Variant& variant, const System& system);
/// w1…w7 of the protocol description, then this explorer's own.
std::vector<std::string> wrong_names();
/// One sentence: what the wrong variant does.
std::string describe_wrong(const std::string& name);
/// What exploring the variant should find: fixes are safe, wrong variants are not (but w5ring and
/// w1symmetric are).
bool expected_safe(const Variant& variant);

enum class ViolationKind {
  lost_signal,          ///< a word is cleared or read before all its signals came
  double_signal,        ///< a signal is taken twice, for another exchange, or left over
  read_before_written,  ///< a row is read that is not there yet
  cleared_after_reuse,  ///< a clear erases the next exchange's signal
  deadlock,             ///< steps are left, and none can run
  token_lost,           ///< a row is delivered or reduced not exactly once
  overwritten_in_use    ///< a buffer is written that still holds an unread row
};
std::string to_string(ViolationKind kind);

struct ScheduleLine {
  int step = 0;      ///< index into the program's steps
  int exchange = 0;  ///< from 1
  std::string actor;
  std::string text;
  std::vector<int> causes;  ///< earlier lines (by position) that this one had to wait for
};

/// The shortest schedule found that ends in a violation. Replaying its steps gives the violation
/// again.
struct Counterexample {
  ViolationKind kind = ViolationKind::deadlock;
  std::string text;  ///< what went wrong, at the last line
  std::string system;
  std::vector<ScheduleLine> lines;
};

struct Progress {
  std::string variant;
  std::string system;
  std::uint64_t states = 0;
  std::uint64_t samples = 0;
};

struct Options {
  bool reduction = true;                 ///< persistent sets; off explores every interleaving
  std::uint64_t max_states = 2'000'000;  ///< give up exhausting after this many distinct states
  std::uint64_t samples = 0;  ///< complete schedules to draw instead of exhausting; 0: exhaust
  std::uint64_t seed = 1;
  bool stop_at_first = false;  ///< do not look for a shorter schedule after the first violation
  std::function<void(const Progress&)>
      progress;  ///< called about every 2^16 states or 2^12 samples
};

struct Verdict {
  std::uint64_t states = 0;      ///< distinct states visited
  std::uint64_t schedules = 0;   ///< complete schedules: paths through the visited states
                                 ///< (saturating), or schedules drawn
  std::uint64_t violations = 0;  ///< violating steps met, or drawn schedules that violate
  bool exhausted = false;        ///< nothing was left out
  std::optional<Counterexample> first_violation;

  bool safe() const { return violations == 0; }
};

/// All steps of all actors of `system` under `variant`. Throws InputError for a system, fix or
/// option that does not exist, and for fixes that do not go together.
Program steps_of(const Variant& variant, const System& system);

/// Explores any program. Deterministic: same program and options, same verdict.
Verdict explore(const Program& program, const Options& options = {});
Verdict explore(const Variant& variant, const System& system, const Options& options = {});

/// Adds the counts of `part`, keeps the shorter counterexample, and `exhausted` only when both are.
void merge(Verdict& total, const Verdict& part);

/// Systems small enough to be exhausted, and larger ones to be sampled; at least three exchanges
/// each, with sources that have no token.
std::vector<System> small_systems(Protocol protocol = Protocol::role);
std::vector<System> large_systems(Protocol protocol = Protocol::role);
/// 2 sources, 2 channels, 3 exchanges, with every assignment of 0, 1 or 2 tokens: 729 systems.
std::vector<System> patterned_systems(Protocol protocol = Protocol::role);

/// Verdicts of sets of fixes on those small_systems() that they fit, each explored once.
/// Milliseconds a set.
class VerdictCache {
 public:
  const Verdict& verdict(const std::vector<Fix>& fixes, Protocol protocol = Protocol::role);

 private:
  std::map<std::string, Verdict> known_;
};

}  // namespace fanin::model::safety
