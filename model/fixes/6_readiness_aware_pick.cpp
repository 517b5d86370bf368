// Fix 6. The FFN's forward warp, which polls all sources' tails anyway, takes a source that has
// rows, next in round-robin order among those, instead of passing over sources without any.
// "Arrived" must include a bare finish, or an empty list never ends (the safety explorer's w8).
#include "fix.hpp"

namespace fanin::model {
namespace {

void apply(const Fix&, Rules& rules) {
  rules.readiness_aware_pick = true;
  rules.blocking_pick = false;
}

}  // namespace

const FixSpec& readiness_aware_pick() {
  static const FixSpec spec = {{6,
                                "readiness-aware pick",
                                "the forward warp takes a source that has arrived",
                                false,
                                FixScope::any,
                                "nothing; any transport",
                                {"ffn.forward"},
                                "T = 32 and 128 at S = 3, where sources' rows meet in one warp",
                                {"6"},
                                {},
                                {}},
                               apply};
  return spec;
}

}  // namespace fanin::model
