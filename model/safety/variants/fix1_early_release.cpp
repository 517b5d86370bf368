// Fix 1, early empty-channel release: the FFN posts the combine finish of (channel, source) pairs
// that got no token before the combine's entry barrier, or right after the dispatch exit barrier.
//
// Both places come after the FFN has cleared its tails, so a source without any token, which these
// finishes release, finds clean words when it starts the next exchange.
#include "../rules.hpp"

namespace fanin::model::safety {

void release_empty_channels_early(Rules& rules, const Fix& fix, const System& /*system*/) {
  const std::string at = option(fix, "at", "entry", {"entry", "exit"});
  rules.early_finish =
      at == "exit" ? EarlyFinish::after_exit_barrier : EarlyFinish::before_entry_barrier;
}

}  // namespace fanin::model::safety
