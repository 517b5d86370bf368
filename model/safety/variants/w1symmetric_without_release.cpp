// w1symmetric, planted but safe: w1 on the symmetric exchange with all empty directions silent. A
// rank that waits for no combine finish starts its next dispatch early, but that kernel's entry
// barrier waits for every domain, and each signals it after its own tails and finish words were
// cleared. It is the barrier that makes fixes 10 to 13 safe.
#include "../rules.hpp"

namespace fanin::model::safety {

WrongVariant symmetric_without_release() {
  return {"w1symmetric",
          "fixes 7 and 10 to 13 on the symmetric exchange, without the designated release",
          {{7, {}}, {10, {}}, {11, {}}, {12, {}}, {13, {}}},
          [](Rules& rules) { rules.fixed.designated_release = false; },
          true,
          Protocol::symmetric};
}

}  // namespace fanin::model::safety
