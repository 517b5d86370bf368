// Fix 3, fewer channels: the same steps on half of the channels. More tokens share a channel.
#include <algorithm>

#include "../rules.hpp"

namespace fanin::model::safety {

void use_fewer_channels(Rules& rules, const Fix& fix, const System& system) {
  no_options(fix);
  rules.channels = std::max(1, system.channels() / 2);
}

}  // namespace fanin::model::safety
