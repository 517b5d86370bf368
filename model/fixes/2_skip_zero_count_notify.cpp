// Fix 2. The FFN role has no tokens of its own, so it does not reduce its zero counts and does not
// wait for its CTAs before it waits for the sources' counts.
#include "fix.hpp"

namespace fanin::model {
namespace {

void apply(const Fix&, Rules& rules) { rules.ffn_reduces_zero_counts = false; }

}  // namespace

const FixSpec& skip_zero_count_notify() {
  static const FixSpec spec = {{2,
                                "skip zero-count notify",
                                "the FFN does not reduce and wait for its own zero counts",
                                false,
                                FixScope::role,
                                "role-specialised kernels; any transport",
                                {"ffn.notify"},
                                "stamp the end of notify and of the last channel in the FFN's "
                                "dispatch: it saves only where notify ends last",
                                {"2"},
                                {},
                                {}},
                               apply};
  return spec;
}

}  // namespace fanin::model
