// w10, not in the protocol description: w1symmetric whose kernels do not wait for the other domains
// at their entry. Then nothing holds the next exchange back until tails are cleared: w1 once more.
#include "../rules.hpp"

namespace fanin::model::safety {

WrongVariant without_entry_barrier() {
  WrongVariant variant = symmetric_without_release();
  variant.name = "w10";
  variant.what += " and without the domains' half of the entry barriers";
  variant.change = [](Rules& rules) {
    rules.fixed.designated_release = false;
    rules.enters_alone = true;
  };
  variant.is_safe = false;
  return variant;
}

}  // namespace fanin::model::safety
