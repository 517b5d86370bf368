// Fix 2, skip zero-count notify: an FFN GPU sends no tokens, so it does not red-add its own zero
// counts and does not wait for its CTAs to have done so. The counts of the S sources are still
// waited for.
#include "../rules.hpp"

namespace fanin::model::safety {

void skip_zero_counts(Rules& rules, const Fix& fix, const System& /*system*/) {
  no_options(fix);
  rules.reduces_zero_counts = false;
}

}  // namespace fanin::model::safety
