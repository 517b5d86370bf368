// Fix 9. The finish of a (channel, source) that carried no row is an inline WRITE of 8 B instead of
// a fetch-add. A WRITE replaces the word, and does not wait for earlier WRITEs of its queue, so a
// channel that published tokens keeps the fetch-add.
#include "fix.hpp"

namespace fanin::model {
namespace {

void apply(const Fix&, Rules& rules) { rules.inline_empty_finishes = true; }

}  // namespace

const FixSpec& inline_write_finishes() {
  static const FixSpec spec = {
      {9,
       "inline write for data-less finishes",
       "an inline WRITE of 8 B instead of a fetch-add where the channel carried no row",
       false,
       FixScope::any,
       "inline data in work requests; not on transports whose signals are fetch-adds by contract",
       {"ffn.nic.responder", "attention.nic.responder"},
       "the run itself: it separates the responder's atomic from the cost of a work request",
       {"9"},
       {},
       {{8, "8 leaves no empty finish to write inline"}}},
      apply};
  return spec;
}

}  // namespace fanin::model
