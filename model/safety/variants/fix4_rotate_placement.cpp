// Fix 4, rotate placement: token t of source (s, j) rides channel (t + r) mod C with
// r = ((s·U + j)·k) mod C, so that few tokens of many sources do not all meet on channel 0.
//
// Both sides of a pair compute the same rotation, and no step but the choice of the channel
// changes.
#include "../rules.hpp"
#include "fanin/hw/error.hpp"

namespace fanin::model::safety {

void rotate_placement(Rules& rules, const Fix& fix, const System& system) {
  int stride = system.channels_per_sm;
  for (const auto& [name, value] : fix.options) {
    if (name != "k") throw InputError("fix 4: " + name, "no such option", "k");
    try {
      std::size_t used = 0;
      stride = std::stoi(value, &used);
      if (used != value.size() || stride < 1 || stride > (1 << 20)) throw std::out_of_range(value);
    } catch (const std::logic_error&) {
      throw InputError("fix 4: k", "'" + value + "' is no stride",
                       "a whole number from 1 to 1048576");
    }
  }
  rules.stride = stride;
}

}  // namespace fanin::model::safety
