// w8, not in the protocol description: fix 6 where only rows count as arrived. The list of a source
// without a row on the channel is never taken, and the dispatch never ends.
#include "../rules.hpp"

namespace fanin::model::safety {

WrongVariant arrival_means_rows() {
  return {"w8",
          "fix 6 where only rows count as arrived, so that an empty list is never taken",
          {{6, {}}},
          [](Rules& rules) { rules.arrival = Arrival::rows_only; }};
}

}  // namespace fanin::model::safety
