// What a protocol variant may change in the steps of the exchange. The defaults are the baseline;
// each file in variants/ changes a few of these and says why that is, or is not, safe.
#pragma once

#include <string>

#include "fanin/model/safety.hpp"

namespace fanin::model::safety {

/// How the end of a channel's list is signalled.
enum class Signal { fetch_add, inline_write, none };
/// What the count WRITE tells about channels beside the counts per expert.
enum class Occupancy { unknown, bitmap, count };
/// When the FFN clears its tail words.
enum class TailClear { before_exit_barrier, after_combine_finish };
/// When the FFN posts what a pair without tokens gets.
enum class EarlyFinish { no, before_tail_clear, after_exit_barrier, before_entry_barrier };
/// What tells an Attention GPU that the FFN's dispatch kernel has ended.
enum class Release { every_finish, designated_word, nothing };
/// Which arrivals make the forward warp take a source.
enum class Arrival { rows_or_finish, rows_only };
/// What an Attention GPU's next dispatch waits for.
enum class NextDispatch { own_reduce, reduce_of_first_source, reduce_of_next_source };

struct Rules {
  // Placement
  int channels = 0;
  int stride = 0;  ///< token t rides channel (t + (s·U + j)·stride) mod C

  // Attention dispatch
  Signal dispatch_empty = Signal::fetch_add;  ///< channels without a row
  Signal dispatch_used = Signal::fetch_add;   ///< channels with rows
  bool dispatch_batches_empty = false;    ///< a CTA's empty finishes go out together on one queue
  bool dispatch_merges_finishes = false;  ///< one finish for all channels, on context 0
  Occupancy occupancy = Occupancy::unknown;
  NextDispatch next_dispatch = NextDispatch::own_reduce;

  // FFN dispatch
  bool reduces_zero_counts = true;
  Arrival arrival = Arrival::rows_or_finish;
  TailClear tail_clear = TailClear::before_exit_barrier;

  // FFN combine
  Signal combine_empty = Signal::fetch_add;
  bool combine_batches_empty = false;
  bool combine_merges_finishes = false;
  EarlyFinish early_finish = EarlyFinish::no;
  Release release = Release::every_finish;

  // Network
  bool relaxed_ordering = false;
};

/// Each is one file in variants/. `fix` brings the options; they throw InputError for a bad one.
void release_empty_channels_early(Rules& rules, const Fix& fix, const System& system);
void skip_zero_counts(Rules& rules, const Fix& fix, const System& system);
void use_fewer_channels(Rules& rules, const Fix& fix, const System& system);
void rotate_placement(Rules& rules, const Fix& fix, const System& system);
void batch_empty_signals(Rules& rules, const Fix& fix, const System& system);
void pick_ready_source(Rules& rules, const Fix& fix, const System& system);
void elide_empty_combine_signals(Rules& rules, const Fix& fix, const System& system);
void send_occupancy_first(Rules& rules, const Fix& fix, const System& system);
void write_empty_finishes_inline(Rules& rules, const Fix& fix, const System& system);

struct WrongVariant {
  std::string name;
  std::string what;        ///< one sentence
  std::vector<Fix> fixes;  ///< right ones that it starts from
  void (*change)(Rules& rules);
  bool is_safe = false;  ///< planted, but turns out to be safe
};

/// Each is one file in variants/.
WrongVariant without_designated_release();     // w1
WrongVariant tails_cleared_after_combine();    // w2
WrongVariant merged_finish_on_context_0();     // w3
WrongVariant inline_finish_on_used_channel();  // w4
WrongVariant reuse_after_another_reduce();     // w5
WrongVariant reuse_after_next_reduce();        // w5ring, safe
WrongVariant relaxed_ordering();               // w6
WrongVariant early_finish_before_clear();      // w7
WrongVariant arrival_means_rows();             // w8
WrongVariant merged_dispatch_finish();         // w9

/// The value of an option of `fix`, `otherwise` when absent. Throws InputError for another option
/// of the fix, or a value that is none of `allowed`.
std::string option(const Fix& fix, const std::string& name, const std::string& otherwise,
                   const std::vector<std::string>& allowed);
/// The value as a number. Throws InputError for what is none, or none from `low` to `high`.
int whole_number(const Fix& fix, const std::string& name, const std::string& value, int low,
                 int high);
/// Throws InputError: the fix has no such option.
[[noreturn]] void refuse_option(const Fix& fix, const std::string& name,
                                const std::string& expected);
/// Throws InputError when the fix has an option.
void no_options(const Fix& fix);

/// Throws InputError for a variant that does not exist.
Rules rules_of(const Variant& variant, const System& system);

}  // namespace fanin::model::safety
