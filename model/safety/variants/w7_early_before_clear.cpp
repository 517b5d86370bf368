// w7: fix 1 posted before the FFN's own tails are cleared: as soon as a channel's lists have ended.
#include "../rules.hpp"

namespace fanin::model::safety {

WrongVariant early_finish_before_clear() {
  return {"w7", "fix 1 posted before the FFN's own tails are cleared", {{1, {}}}, [](Rules& rules) {
            rules.early_before_tail_clear = true;
          }};
}

}  // namespace fanin::model::safety
