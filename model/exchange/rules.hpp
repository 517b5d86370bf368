// What the fixes change of the protocol's steps. The baseline is the default; each fix is one file
// in model/fixes that sets its fields.
#pragma once

#include <string>

#include "fanin/model/exchange.hpp"
#include "fanin/model/operations.hpp"

namespace fanin::model {

struct Rules {
  /// The exchange with whatever a fix changes of its configuration (channels).
  Exchange exchange;

  /// FFN ranks reduce their own zero counts and wait for all their CTAs (fix 2 turns it off).
  bool ffn_reduces_zero_counts = true;

  /// Token t of source (a, j) rides channel (t + ((a·U + j)·rotation) mod C) mod C (fix 4).
  int rotation = 0;

  /// One doorbell a (CTA, peer) for the finishes of channels without rows (fix 5).
  bool attention_batches_empty_finishes = false;
  bool ffn_batches_empty_finishes = false;

  /// The forward warp takes a source that has arrived, without passing over the others (fix 6).
  bool readiness_aware_pick = false;
  /// The forward warp waits for the source whose turn it is (symmetric kernels).
  bool blocking_pick = false;

  /// When the FFN posts the combine finish of a (channel, source) that carried no row.
  enum class EmptyCombineFinish {
    at_channel_end,        ///< baseline: with the channel's other finishes
    before_entry_barrier,  ///< fix 1 at=entry: when the combine kernel starts
    after_dispatch_exit,   ///< fix 1 at=exit: when the dispatch kernel's exit barrier opens
    never                  ///< fixes 7 and 8
  };
  EmptyCombineFinish empty_combine_finish = EmptyCombineFinish::at_channel_end;

  /// One signal from each FFN GPU to each Attention GPU on its rail, sent after the FFN's dispatch
  /// kernel has ended, which collect waits for (fixes 7 and 8).
  bool designated_release = false;

  /// The count WRITEs go first and say which channels carry rows; sources skip the finishes of the
  /// others, and the FFN waits only for the used ones (fix 8).
  bool counts_say_occupancy = false;
  /// They say it by a bitmap of C bits, which makes them longer.
  bool occupancy_bitmap = false;
  /// They say it by the number of rows of each channel, so that a list ends with its last row, and
  /// no finish flag is needed at all.
  bool counts_end_lists = false;

  /// The finish of a (channel, source) without rows is an inline WRITE, not a fetch-add (fix 9).
  bool inline_empty_finishes = false;

  /// Directions that never carry a row where the GPUs of a symmetric exchange have roles: nothing
  /// says so, neither a finish nor a release, and nobody waits for it.
  bool silent_between_attention = false;      ///< A→A, both phases (fix 10)
  bool silent_between_ffn = false;            ///< F→F, both phases (fix 11)
  bool silent_combine_to_ffn = false;         ///< A→F in combine (fix 12)
  bool silent_dispatch_to_attention = false;  ///< F→A in dispatch (fix 13)

  bool silent(Phase phase, bool from_ffn, bool to_ffn) const {
    if (from_ffn == to_ffn) return from_ffn ? silent_between_ffn : silent_between_attention;
    if (to_ffn) return phase == Phase::combine && silent_combine_to_ffn;
    return phase == Phase::dispatch && silent_dispatch_to_attention;
  }
};

/// Baseline rules with every fix of `exchange` applied. Throws InputError for options that a fix
/// does not have, fixes that exclude each other, and fixes that the exchange's path or protocol
/// rules out.
Rules rules_of(const Exchange& exchange);

/// Channel that token `token` of Attention GPU (`source`, `rail`) rides, of `channels`.
inline int channel_of(const Rules& rules, int source, int rail, int token, int channels) {
  const std::int64_t rank = std::int64_t{source} * rules.exchange.gpus_per_domain + rail;
  return static_cast<int>((token + rank * rules.rotation % channels) % channels);
}

}  // namespace fanin::model
