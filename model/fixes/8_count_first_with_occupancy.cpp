// Fix 8. The count WRITE goes first and says which channels carry rows. Sources send no finish on
// other channels, and the FFN waits only for the used ones once it has the counts. Combine is as in
// fix 7.
//   occupancy=bitmap  a bitmap of C bits; a used channel still ends with its finish
//   occupancy=count   the count alone: as token t rides channel t mod C, it says how many rows each
//                     channel carries, so a list ends with its last row and no finish is sent at
//                     all
//
// A source sends its count WRITE after its own reduce, and the FFN waits for the counts of all
// sources before it combines: that is the reverse edge, now that empty channels stay silent.
#include "fix.hpp"

namespace fanin::model {
namespace {

void apply(const Fix& fix, Rules& rules) {
  rules.counts_say_occupancy = true;
  rules.occupancy_bitmap =
      option_of(fix, count_first_with_occupancy().info, "occupancy") == "bitmap";
  rules.counts_end_lists = !rules.occupancy_bitmap;
  rules.empty_combine_finish = Rules::EmptyCombineFinish::never;
  rules.designated_release = true;
}

std::string check(const Fix& fix, const Exchange& exchange) {
  const std::string occupancy = option_of(fix, count_first_with_occupancy().info, "occupancy");
  return occupancy == "count" && exchange.ffn_domains() > 1
             ? "occupancy=count; with several FFN domains a count does not say which channels, "
               "expected bitmap"
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
       FixScope::any,
       "a new field in the count WRITE; any transport",
       {"attention.nic.requester", "ffn.nic.responder", "ffn.nic.requester",
        "attention.nic.responder"},
       "count the fetch-adds at the FFN NIC, and compare 16 with 48 SMs at T = 1: both slopes "
       "should vanish",
       {"8:occupancy=bitmap", "8:occupancy=count"},
       {{"occupancy", {"bitmap", "count"}, "bitmap", "what says which channels carry rows"}},
       {{1, "8 leaves no empty finish to post early"},
        {5, "8 leaves no empty finish to batch"},
        {7, "8 includes 7"},
        {9, "8 leaves no empty finish to write inline"},
        {13, "8 leaves no empty finish in dispatch"}}},
      apply,
      check};
  return spec;
}

}  // namespace fanin::model
