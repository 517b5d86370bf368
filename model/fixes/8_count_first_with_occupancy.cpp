// Fix 8. The count WRITE goes first and says which channels carry rows: by a bitmap of C bits, or,
// as token t rides channel t mod C, by the count alone. Sources send no finish on other channels,
// and the FFN waits only for the used ones once it has the counts. Combine is as in fix 7.
#include "fix.hpp"

namespace fanin::model {
namespace {

void apply(const Fix& fix, Rules& rules) {
  rules.counts_say_occupancy = true;
  rules.occupancy_bitmap =
      option_of(fix, count_first_with_occupancy().info, "occupancy") == "bitmap";
  rules.empty_combine_finish = Rules::EmptyCombineFinish::never;
  rules.designated_release = true;
}

std::string check(const Fix& fix, const Exchange& exchange) {
  const std::string occupancy = option_of(fix, count_first_with_occupancy().info, "occupancy");
  if (occupancy == "bitmap") return {};
  if (occupancy != "count") return "occupancy=" + occupancy + "; expected bitmap or count";
  return exchange.ffn_domains() > 1 ? "occupancy=count; with several FFN domains a count does not "
                                      "say which channels, expected bitmap"
                                    : "";
}

}  // namespace

const FixSpec& count_first_with_occupancy() {
  static const FixSpec spec = {
      {8,
       "count-first with occupancy",
       "counts go first and say which channels carry rows; empty ones send no finish, in dispatch "
       "and combine",
       true,
       false,
       "a new field in the count WRITE; any transport",
       {"attention.nic.requester", "ffn.nic.responder", "ffn.nic.requester",
        "attention.nic.responder"},
       "count the fetch-adds at the FFN NIC, and compare 16 with 48 SMs at T = 1: both slopes "
       "should vanish",
       {{"occupancy", "bitmap or count", "bitmap", "what says which channels carry rows"}},
       {{1, "8 leaves no empty finish to post early"},
        {5, "8 leaves no empty finish to batch"},
        {7, "8 includes 7"},
        {9, "8 leaves no empty finish to write inline"}}},
      apply,
      check};
  return spec;
}

}  // namespace fanin::model
