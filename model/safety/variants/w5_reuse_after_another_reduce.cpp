// w5: fix 8 where row slots are reused for the next exchange after the reduce of another source:
// all sources start when source 0 has reduced. The count WRITE, which lets the FFN combine again,
// then says nothing about its own source's reduce, and the FFN writes row slots (its own staging,
// the source's) whose last rows are still on their way or unread.
#include "../rules.hpp"

namespace fanin::model::safety {

WrongVariant reuse_after_another_reduce() {
  return {"w5",
          "fix 8 where row slots are reused after the reduce of another source (source 0)",
          {{8, {}}},
          [](Rules& rules) { rules.next_dispatch = NextDispatch::reduce_of_first_source; }};
}

}  // namespace fanin::model::safety
