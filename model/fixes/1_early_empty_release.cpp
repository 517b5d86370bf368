// Fix 1. The FFN posts the combine finish of (channel, source) pairs that got nothing early, not at
// the channel's end: the same words, sooner.
//   at=entry  before the combine kernel's entry barrier
//   at=exit   right after the dispatch kernel's exit barrier, in that kernel
// Either way the FFN's own dispatch has ended and its tails are cleared, so a finish still tells
// the Attention GPU that it may start the next exchange: a source without any token, which these
// finishes release, finds clean words. On the symmetric exchange every rank does so, and at=entry
// means before the domains' half of the barrier too; there the early finishes stand before the
// entry signals in the NIC's queue and delay them, which may cost more than it saves.
#include "fix.hpp"

namespace fanin::model {
namespace {

void apply(const Fix& fix, Rules& rules) {
  const bool at_exit = option_of(fix, early_empty_release().info, "at") == "exit";
  rules.empty_combine_finish = at_exit ? Rules::EmptyCombineFinish::after_dispatch_exit
                                       : Rules::EmptyCombineFinish::before_entry_barrier;
}

}  // namespace

const FixSpec& early_empty_release() {
  static const FixSpec spec = {
      {1,
       "early empty-channel release",
       "combine finishes of (channel, source) pairs without rows are posted before the combine's "
       "entry barrier",
       false,
       FixScope::any,
       "knowing at that point which pairs got rows; any transport",
       {"ffn.nic.requester", "attention.nic.responder"},
       "time the combine's first and last outbound finish: the fix saves what the drain of empty "
       "finishes adds "
       "to the end",
       {"1:at=entry", "1:at=exit"},
       {{"at",
         {"entry", "exit"},
         "entry",
         "before the combine's entry barrier, or after the dispatch's exit barrier"}},
       {{7, "7 leaves no empty finish to post early"},
        {8, "8 leaves no empty finish to post early"}}},
      apply};
  return spec;
}

}  // namespace fanin::model
