// w9, not in the protocol description: w3 in dispatch. Each channel still publishes its tail on its
// own context, and one finish on context 0 ends all lists of the source, before the last tails are
// there.
#include "../rules.hpp"

namespace fanin::model::safety {

WrongVariant merged_dispatch_finish() {
  return {"w9",
          "one merged dispatch finish on context 0 for channels of all contexts",
          {},
          [](Rules& rules) { rules.merges_dispatch_finishes = true; }};
}

}  // namespace fanin::model::safety
