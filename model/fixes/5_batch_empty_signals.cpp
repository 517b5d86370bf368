// Fix 5. The finishes of an SM's channels that carry no row go to a peer with one doorbell, instead
// of one each. Which queue they use changes, no word and no operation: an empty channel's finish
// has no row to stay behind, so any queue will do. role=attention: in dispatch; role=ffn: in
// combine; role=both. A symmetric rank plays both roles: the option then names the phase.
#include "fix.hpp"

namespace fanin::model {
namespace {

void apply(const Fix& fix, Rules& rules) {
  const std::string role = option_of(fix, batch_empty_signals().info, "role");
  rules.attention_batches_empty_finishes = role != "ffn";
  rules.ffn_batches_empty_finishes = role != "attention";
}

}  // namespace

const FixSpec& batch_empty_signals() {
  static const FixSpec spec = {
      {5,
       "batch empty signals",
       "one doorbell a (CTA, peer) for the finishes of channels without rows",
       false,
       FixScope::any,
       "GPU-posted work requests with a doorbell of their own; empty channels of an SM share a "
       "queue",
       {"attention.nic.requester", "ffn.nic.requester"},
       "post the same fetch-adds with one and with many doorbells: the difference is a doorbell's "
       "cost",
       {"5:role=both", "5:role=attention", "5:role=ffn"},
       {{"role", {"both", "attention", "ffn"}, "both", "who batches"}},
       {{8, "8 leaves no empty finish to batch"}}},
      apply};
  return spec;
}

}  // namespace fanin::model
