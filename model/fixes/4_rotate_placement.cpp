// Fix 4. Token t of Attention GPU (a, j), domain a and rail j, rides channel (t + r) mod C with
// r = ((a·U + j)·k) mod C, so that sources with few tokens do not all meet on channel 0. With few
// channels they can still meet: C = 64, U = 4, k = 8 puts sources 0 and 2 on the same ones. Both
// sides of a pair compute the same rotation; no step but the choice of the channel changes.
#include "fix.hpp"

namespace fanin::model {
namespace {

void apply(const Fix& fix, Rules& rules) {
  const std::string k = option_of(fix, rotate_placement().info, "k");
  rules.rotation = k == "channels" ? rules.exchange.channels_per_sm : std::stoi(k);
}

std::string check(const Fix& fix, const Exchange&) {
  if (option_of(fix, rotate_placement().info, "k") == "channels") return {};
  return check_number(fix, rotate_placement().info, "k", 0, 65536);
}

}  // namespace

const FixSpec& rotate_placement() {
  static const FixSpec spec = {
      {4,
       "rotate placement",
       "token t of source (a, j) rides channel (t + (a·U + j)·k) mod C",
       false,
       FixScope::any,
       "receivers that take a row from any channel; any transport",
       {"ffn.forward", "ffn.combine_chain", "ffn.combine_nvlink", "nic.queue"},
       "S = 3 against S = 1 at T = 1 with rotated placement: d should nearly vanish",
       {"4", "4:k=1"},
       {{"k", {}, "channels", "stride; channels = channels per SM"}},
       {}},
      apply,
      check};
  return spec;
}

}  // namespace fanin::model
