// Fix 3, fewer channels: the same steps on fewer channels, of which each carries more tokens. The
// explorer's systems have a handful of channels, so it halves them, whatever sms and channels ask
// for.
#include <algorithm>

#include "../rules.hpp"

namespace fanin::model::safety {

void use_fewer_channels(Rules& rules, const Fix& fix, const System& system) {
  for (const auto& [name, value] : fix.options) {
    if (name == "sms") whole_number(fix, name, value, 1, 1024);
    if (name == "channels") whole_number(fix, name, value, 0, 64);
    if (name != "sms" && name != "channels") refuse_option(fix, name, "sms or channels");
  }
  rules.channels = std::max(1, system.channels() / 2);
}

}  // namespace fanin::model::safety
