// Fix 5, batch empty signals: the finishes of a CTA's channels without a row go to each peer
// together, on one queue, behind one doorbell. In dispatch (role=attention), in combine (role=ffn),
// or both.
//
// Only the queue changes. An empty channel's finish has no row to stay behind, so any queue will
// do.
#include "../rules.hpp"

namespace fanin::model::safety {

void batch_empty_signals(Rules& rules, const Fix& fix, const System& /*system*/) {
  const std::string role = option(fix, "role", "both", {"both", "attention", "ffn"});
  if (role != "ffn") rules.dispatch_batches_empty = true;
  if (role != "attention") rules.combine_batches_empty = true;
}

}  // namespace fanin::model::safety
