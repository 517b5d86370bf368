// Fix 8, count-first with occupancy: the count WRITE goes first and tells which channels carry
// rows, as a bitmap or as a count a channel. Sources send no finish on empty channels, and the FFN
// waits only for used ones. With counts it needs no finish flag at all: a list ends when its tokens
// are there. Includes fix 7.
//
// A source sends its count WRITE after its own reduce, and the FFN waits for the counts of all
// sources before it combines: that is the reverse edge, now that empty channels stay silent.
#include "../rules.hpp"

namespace fanin::model::safety {

void send_occupancy_first(Rules& rules, const Fix& fix, const System& system) {
  const std::string form = option(fix, "occupancy", "bitmap", {"bitmap", "count"});
  rules.occupancy = form == "count" ? Occupancy::count : Occupancy::bitmap;
  rules.dispatch_empty = Signal::none;
  elide_empty_combine_signals(rules, {7, {}}, system);
}

}  // namespace fanin::model::safety
