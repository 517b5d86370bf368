// w4: an inline WRITE of the finish on a channel that published tokens by fetch-add. The WRITE
// replaces the count, and it may pass the rows.
#include "../rules.hpp"

namespace fanin::model::safety {

WrongVariant inline_finish_on_used_channel() {
  return {"w4",
          "fix 9 also on channels that published tokens by fetch-add",
          {{9, {}}},
          [](Rules& rules) { rules.inline_used_finish = true; }};
}

}  // namespace fanin::model::safety
