// Fix 6, readiness-aware pick: the forward warp takes a source of which something has arrived,
// instead of the next one in turn.
//
// "Arrived" must include a bare finish, or an empty list never ends (w8 shows it). The baseline's
// blind pass over a source that has nothing changes no word, and the explorer lets the warp take
// the sources in any order anyway. So both picks reach the same states, and this fix changes no
// step.
#include "../rules.hpp"

namespace fanin::model::safety {

void pick_ready_source(Rules& rules, const Fix& fix, const System& /*system*/) {
  no_options(fix);
  rules.arrival = Arrival::rows_or_finish;
}

}  // namespace fanin::model::safety
