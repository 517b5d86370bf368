// Fix 7. In combine the FFN signals only (channel, source) pairs that carried rows, plus one
// designated release from each FFN GPU to each Attention GPU on its rail, posted when the combine
// kernel starts: after the FFN's dispatch kernel has ended and cleared its tails. Collect waits for
// just those. Without the release, a source without rows could start the next exchange while its
// tails are being cleared. On the symmetric exchange every rank does so towards every rank; there
// the next dispatch's entry barrier would hold a source back even without the release.
#include "fix.hpp"

namespace fanin::model {
namespace {

void apply(const Fix&, Rules& rules) {
  rules.empty_combine_finish = Rules::EmptyCombineFinish::never;
  rules.designated_release = true;
}

}  // namespace

const FixSpec& elide_empty_combine_signals() {
  static const FixSpec spec = {
      {7,
       "elide empty-channel combine signals",
       "the FFN signals only pairs that carried rows, and one designated release for each (FFN "
       "GPU, Attention GPU)",
       true,
       FixScope::any,
       "an Attention side that knows which of its channels carried rows; any transport",
       {"ffn.nic.requester", "attention.nic.responder"},
       "48 SMs at S = 3, T = 1, where the drain of finishes exceeds the chain most",
       {"7"},
       {},
       {{1, "7 leaves no empty finish to post early"}, {8, "8 includes 7"}}},
      apply};
  return spec;
}

}  // namespace fanin::model
