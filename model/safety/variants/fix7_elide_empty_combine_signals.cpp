// Fix 7, elide empty-channel combine signals: the FFN signals only (channel, source) pairs that
// carried tokens, plus one designated release for each (FFN GPU, Attention GPU). Collect waits for
// just those.
//
// The release is sent after the FFN's dispatch kernel has ended, so a source without any token
// still learns that the tails are clear.
#include "../rules.hpp"

namespace fanin::model::safety {

void elide_empty_combine_signals(Rules& rules, const Fix& fix, const System& /*system*/) {
  no_options(fix);
  rules.combine_empty = Signal::none;
  rules.release = Release::designated_word;
}

}  // namespace fanin::model::safety
