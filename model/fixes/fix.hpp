// One fix: what it says about itself, and what it sets in the protocol's rules.
#pragma once

#include "../exchange/rules.hpp"
#include "fanin/model/fixes.hpp"

namespace fanin::model {

struct FixSpec {
  FixInfo info;
  /// Precondition: fix_problems() is empty.
  void (*apply)(const Fix& fix, Rules& rules);
  /// Empty, or what is wrong with values that are no choice; null where nothing can be.
  std::string (*check)(const Fix& fix, const Exchange& exchange) = nullptr;
};

/// The option's value, or the standard one of `info`.
std::string option_of(const Fix& fix, const FixInfo& info, std::string_view name);
/// "" when the option is a whole number in [low, high], else what is wrong.
std::string check_number(const Fix& fix, const FixInfo& info, std::string_view name, int low,
                         int high);

const FixSpec& early_empty_release();           // 1
const FixSpec& skip_zero_count_notify();        // 2
const FixSpec& fewer_channels();                // 3
const FixSpec& rotate_placement();              // 4
const FixSpec& batch_empty_signals();           // 5
const FixSpec& readiness_aware_pick();          // 6
const FixSpec& elide_empty_combine_signals();   // 7
const FixSpec& count_first_with_occupancy();    // 8
const FixSpec& inline_write_finishes();         // 9
const FixSpec& silence_between_attention();     // 10
const FixSpec& silence_between_ffn();           // 11
const FixSpec& silent_combine_to_ffn();         // 12
const FixSpec& silent_dispatch_to_attention();  // 13

}  // namespace fanin::model
