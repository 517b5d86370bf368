// Fix 5. The finishes of an SM's channels that carry no row go to a peer with one doorbell, instead
// of one each. Which queue they use changes, no word and no operation. role=attention: in dispatch;
// role=ffn: in combine; role=both.
#include "fix.hpp"

namespace fanin::model {
namespace {

void apply(const Fix& fix, Rules& rules) {
  const std::string role = option_of(fix, batch_empty_signals().info, "role");
  rules.attention_batches_empty_finishes = role != "ffn";
  rules.ffn_batches_empty_finishes = role != "attention";
}

std::string check(const Fix& fix, const Exchange&) {
  const std::string role = option_of(fix, batch_empty_signals().info, "role");
  return role == "both" || role == "attention" || role == "ffn"
             ? ""
             : "role=" + role + "; expected both, attention or ffn";
}

}  // namespace

const FixSpec& batch_empty_signals() {
  static const FixSpec spec = {
      {5,
       "batch empty signals",
       "one doorbell a (CTA, peer) for the finishes of channels without rows",
       false,
       false,
       "GPU-posted work requests with a doorbell of their own; empty channels of an SM share a "
       "queue",
       {"attention.nic.requester", "ffn.nic.requester"},
       "post the same fetch-adds with one and with many doorbells: the difference is a doorbell's "
       "cost",
       {{"role", "both, attention or ffn", "both", "who batches"}},
       {{8, "8 leaves no empty finish to batch"}}},
      apply,
      check};
  return spec;
}

}  // namespace fanin::model
