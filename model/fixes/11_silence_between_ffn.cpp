// Fix 11, for the symmetric exchange whose GPUs have roles. FFN domains own no tokens, so no row
// goes from one to another in either phase. They send each other no finishes in dispatch and
// combine (nor a release, with fixes 7 and 8), and wait for none. A domain's finishes to itself are
// part of it, so with one FFN domain nothing changes on the wire.
//
// What holds exchanges apart is the entry barrier over all domains, as in fix 10.
#include "fix.hpp"

namespace fanin::model {
namespace {

void apply(const Fix&, Rules& rules) { rules.silent_between_ffn = true; }

}  // namespace

const FixSpec& silence_between_ffn() {
  static const FixSpec spec = {
      {11,
       "no finishes between FFN domains",
       "FFN domains neither send each other finishes nor wait for them",
       true,
       FixScope::symmetric,
       "every rank knows which domains own tokens and which own experts; "
       "the domains' entry barriers; any transport",
       {"ffn.nic.requester", "ffn.nic.responder"},
       "two against one FFN domain at T = 1: F→F finishes are there from the second on",
       {"11"},
       {},
       {}},
      apply};
  return spec;
}

}  // namespace fanin::model
