// w5ring, planted but safe: as w5, but source s waits for the reduce of source s + 1, in a ring.
// The FFN combines only after the counts of all sources; together these follow the reduces of all
// sources, so nothing is written too early. It stops being safe with the first FFN that does not
// wait for all counts.
#include "../rules.hpp"

namespace fanin::model::safety {

WrongVariant reuse_after_next_reduce() {
  return {"w5ring",
          "fix 8 where row slots are reused after the reduce of the next source, in a ring",
          {{8, {}}},
          [](Rules& rules) { rules.next_dispatch = NextDispatch::reduce_of_next_source; },
          true};
}

}  // namespace fanin::model::safety
