// Fix 3. Fewer channels, chosen by the A:F ratio: transport SMs (sms=N) or channels of one SM
// (channels=N), in dispatch and combine alike. Control operations fall with channels; so do the
// warps that move rows.
#include "fix.hpp"

namespace fanin::model {
namespace {

int number(const Fix& fix, std::string_view name) {
  return std::stoi(option_of(fix, fewer_channels().info, name));
}

void apply(const Fix& fix, Rules& rules) {
  Exchange& exchange = rules.exchange;
  exchange.transport_sms = number(fix, "sms");
  exchange.combine_sms.reset();
  exchange.ffn_combine_sms.reset();
  if (const int channels = number(fix, "channels"); channels > 0)
    exchange.channels_per_sm = channels;
}

std::string check(const Fix& fix, const Exchange&) {
  const std::string sms = check_number(fix, fewer_channels().info, "sms", 1, 1024);
  return sms.empty() ? check_number(fix, fewer_channels().info, "channels", 0, 64) : sms;
}

}  // namespace

const FixSpec& fewer_channels() {
  static const FixSpec spec = {
      {3,
       "fewer channels",
       "transport SMs or channels of one SM are chosen by the A:F ratio",
       true,
       FixScope::any,
       "the same number on both sides; enough SMs for the largest token count",
       {"attention.nic.requester", "ffn.nic.responder", "ffn.nic.requester",
        "attention.nic.responder"},
       "run two SM counts at the ratio and token count in question",
       {"3:sms=16", "3:sms=8"},
       {{"sms", {}, "8", "transport SMs"},
        {"channels", {}, "0", "channels of one SM; 0 leaves them"}},
       {}},
      apply,
      check};
  return spec;
}

}  // namespace fanin::model
