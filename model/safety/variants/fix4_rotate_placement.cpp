// Fix 4, rotate placement: token t of source (s, j) rides channel (t + r) mod C with
// r = ((s·U + j)·k) mod C, so that few tokens of many sources do not all meet on channel 0.
//
// Both sides of a pair compute the same rotation, and no step but the choice of the channel
// changes.
#include "../rules.hpp"

namespace fanin::model::safety {

void rotate_placement(Rules& rules, const Fix& fix, const System& system) {
  int stride = system.channels_per_sm;
  for (const auto& [name, value] : fix.options) {
    if (name != "k") refuse_option(fix, name, "k");
    if (value != "channels") stride = whole_number(fix, name, value, 0, 65536);
  }
  rules.stride = stride;
}

}  // namespace fanin::model::safety
