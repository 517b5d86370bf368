// Fix 12, for the symmetric exchange whose GPUs have roles. In combine rows go from FFN to
// Attention domains only, so Attention ranks send FFN ranks no combine finishes (nor a release,
// with fixes 7 and 8), and FFN ranks wait for none from them.
//
// The FFN rank's next dispatch is still held by its entry barrier, which every Attention rank
// signals after its own reduce.
#include "fix.hpp"

namespace fanin::model {
namespace {

void apply(const Fix&, Rules& rules) { rules.silent_combine_to_ffn = true; }

}  // namespace

const FixSpec& silent_combine_to_ffn() {
  static const FixSpec spec = {
      {12,
       "no combine finishes from Attention to FFN",
       "Attention ranks send FFN ranks no finishes in combine",
       true,
       FixScope::symmetric,
       "every rank knows which domains own tokens and which own experts; "
       "the domains' entry barriers; any transport",
       {"attention.nic.requester", "ffn.nic.responder"},
       "count the fetch-adds at the FFN NIC in combine, and compare 16 with 48 SMs at T = 1",
       {"12"},
       {},
       {}},
      apply};
  return spec;
}

}  // namespace fanin::model
