// w3: one merged finish on context 0, in combine, for channels of other contexts. A fetch-add waits
// for earlier WRITEs of its own queue only, so it overtakes rows of the others.
#include "../rules.hpp"

namespace fanin::model::safety {

WrongVariant merged_finish_on_context_0() {
  return {"w3",
          "one merged combine finish on context 0 for channels of all contexts",
          {},
          [](Rules& rules) { rules.merges_combine_finishes = true; }};
}

}  // namespace fanin::model::safety
