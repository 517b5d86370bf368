// w1: fix 7 without the designated release. A source without tokens waits for nothing and starts
// the next exchange while the FFN has yet to clear its tails.
#include "../rules.hpp"

namespace fanin::model::safety {

WrongVariant without_designated_release() {
  return {"w1", "fix 7 without the designated release", {{7, {}}}, [](Rules& rules) {
            rules.fixed.designated_release = false;
          }};
}

}  // namespace fanin::model::safety
