// What a protocol variant changes in the steps of the exchange: the rules that fixes set, which the
// simulator runs too, and what only planted wrong variants change. Each file in variants/ is one of
// those and says why it is, or is not, safe.
#pragma once

#include <string>
#include <vector>

#include "../exchange/rules.hpp"
#include "fanin/model/safety.hpp"

namespace fanin::model::safety {

/// How a channel without a row is signalled.
enum class Signal { fetch_add, inline_write, none };
/// When the FFN clears its tail words.
enum class TailClear { before_exit_barrier, after_combine_finish };
/// Which arrivals make the forward warp take a source.
enum class Arrival { rows_or_finish, rows_only };
/// What an Attention GPU's next dispatch waits for.
enum class NextDispatch { own_reduce, reduce_of_first_source, reduce_of_next_source };

struct Rules {
  /// The baseline with fixes. Fix 6 changes no step: the baseline's blind pass over a source that
  /// has nothing changes no word, and the explorer lets the warp take sources in any order anyway.
  model::Rules fixed;
  int channels = 0;

  // Wrong variants only.
  NextDispatch next_dispatch = NextDispatch::own_reduce;
  Arrival arrival = Arrival::rows_or_finish;
  TailClear tail_clear = TailClear::before_exit_barrier;
  bool inline_used_finish = false;  ///< an inline WRITE also ends lists with rows, in dispatch
  bool merges_dispatch_finishes = false;  ///< one finish for all channels, on context 0
  bool merges_combine_finishes = false;
  bool early_before_tail_clear = false;  ///< fix 1 as soon as a channel's lists have ended
  bool relaxed_ordering = false;
  bool enters_alone = false;  ///< symmetric kernels do not wait for other domains at their entry

  Signal dispatch_empty() const {
    return fixed.counts_say_occupancy ? Signal::none : empty_finish();
  }
  Signal combine_empty() const {
    using When = model::Rules::EmptyCombineFinish;
    return fixed.empty_combine_finish == When::never ? Signal::none : empty_finish();
  }
  /// Empty pairs get their combine finish with the channel's others, not earlier.
  bool combine_empty_at_end() const {
    using When = model::Rules::EmptyCombineFinish;
    return fixed.empty_combine_finish == When::at_channel_end;
  }
  /// A list's own word says that it ended.
  bool lists_end_by_flag() const { return !fixed.counts_end_lists && !merges_dispatch_finishes; }

 private:
  Signal empty_finish() const {
    return fixed.inline_empty_finishes ? Signal::inline_write : Signal::fetch_add;
  }
};

struct WrongVariant {
  std::string name;
  std::string what;        ///< one sentence
  std::vector<Fix> fixes;  ///< right ones that it starts from
  void (*change)(Rules& rules);
  bool is_safe = false;  ///< planted, but turns out to be safe
  Protocol protocol = Protocol::role;
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
WrongVariant without_entry_barrier();          // w10
WrongVariant symmetric_without_release();      // w1symmetric, safe

/// Throws InputError for a variant that does not exist or does not fit the system.
Rules rules_of(const Variant& variant, const System& system);

}  // namespace fanin::model::safety
