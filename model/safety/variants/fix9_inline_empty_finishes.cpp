// Fix 9, inline write for data-less finishes: an 8-byte inline WRITE instead of a fetch-add where
// the channel carried no row. In dispatch and in combine.
//
// A WRITE replaces the word and may pass anything in its queue. On a channel without a row the word
// is zero and there is nothing to stay behind.
#include "../rules.hpp"

namespace fanin::model::safety {

void write_empty_finishes_inline(Rules& rules, const Fix& fix, const System& /*system*/) {
  no_options(fix);
  if (rules.dispatch_empty != Signal::none) rules.dispatch_empty = Signal::inline_write;
  if (rules.combine_empty != Signal::none) rules.combine_empty = Signal::inline_write;
}

}  // namespace fanin::model::safety
