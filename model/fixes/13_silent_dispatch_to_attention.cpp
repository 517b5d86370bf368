// Fix 13, for the symmetric exchange whose GPUs have roles: the mirror of fix 12. In dispatch rows
// go from Attention to FFN domains only, so FFN ranks send Attention ranks no dispatch finishes,
// and Attention ranks wait for none from them. The count WRITEs stay.
//
// An Attention rank then ends its dispatch when its own posts are out and all counts are there.
#include "fix.hpp"

namespace fanin::model {
namespace {

void apply(const Fix&, Rules& rules) { rules.silent_dispatch_to_attention = true; }

}  // namespace

const FixSpec& silent_dispatch_to_attention() {
  static const FixSpec spec = {
      {13,
       "no dispatch finishes from FFN to Attention",
       "FFN ranks send Attention ranks no finishes in dispatch",
       true,
       FixScope::symmetric,
       "every rank knows which domains own tokens and which own experts; "
       "the domains' entry barriers; any transport",
       {"ffn.nic.requester", "attention.nic.responder"},
       "count the fetch-adds at the Attention NIC in dispatch, and compare 16 with 48 SMs at T = 1",
       {"13"},
       {},
       {{8, "8 leaves no empty finish in dispatch"}}},
      apply};
  return spec;
}

}  // namespace fanin::model
