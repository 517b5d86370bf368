// w2: the FFN clears its tail words after its combine finish instead of before. The finish releases
// the source too early.
#include "../rules.hpp"

namespace fanin::model::safety {

WrongVariant tails_cleared_after_combine() {
  return {"w2",
          "the FFN clears its tail words after its combine finish instead of before",
          {},
          [](Rules& rules) { rules.tail_clear = TailClear::after_combine_finish; }};
}

}  // namespace fanin::model::safety
