// Fix 10, for the symmetric exchange whose GPUs have roles. Attention domains own no experts, so no
// row goes from one to another in either phase. They send each other no finishes in dispatch and
// combine (nor a release, with fixes 7 and 8), and wait for none. A domain's finishes to itself are
// part of it.
//
// The finishes were not needed to hold exchanges apart either: a kernel's entry barrier over all
// domains comes after the tails and finish words of the kernel before were cleared.
#include "fix.hpp"

namespace fanin::model {
namespace {

void apply(const Fix&, Rules& rules) { rules.silent_between_attention = true; }

}  // namespace

const FixSpec& silence_between_attention() {
  static const FixSpec spec = {
      {10,
       "no finishes between Attention domains",
       "Attention domains neither send each other finishes nor wait for them",
       true,
       FixScope::symmetric,
       "every rank knows which domains own tokens and which own experts; "
       "the domains' entry barriers; any transport",
       {"attention.nic.requester", "attention.nic.responder"},
       "two against one Attention domain at T = 1: A→A finishes are there from the second on",
       {"10"},
       {},
       {}},
      apply};
  return spec;
}

}  // namespace fanin::model
