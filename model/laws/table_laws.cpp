// Laws for published tables that state little more than a number of SMs or of ranks.
#include "family_parts.hpp"

namespace fanin::model::laws {
namespace {

double one(const LawPoint&) { return 1.0; }
double ranks(const LawPoint& p) { return p.ranks; }
double per_sm(const LawPoint& p) { return 1.0 / p.transport_sms; }

constexpr LawParameter kConstant{"a", "us", "what every exchange costs"};
constexpr LawParameter kSmTime{"p", "us", "time that one SM alone would take"};

}  // namespace

std::vector<Law> table_laws() {
  return {
      {"shared_over_sms",
       "a fixed cost and work that is shared out over the SMs",
       "a + p/n",
       {kConstant, kSmTime},
       {"transport_sms"},
       {{0, 0, one}, {1, 0, per_sm}}},
      {"bandwidth_over_sms",
       "bandwidth that grows with SMs until a link saturates, one amount of data",
       "max(p/n, q)",
       {kSmTime, {"q", "us", "time that the link takes"}},
       {"transport_sms"},
       {{0, 1, per_sm}, {1, 2, one}}},
      {"per_rank",
       "a fixed cost and one for each GPU that takes part",
       "a + k·N",
       {kConstant, {"k", "us", "cost of one more GPU"}},
       {"ranks"},
       {{0, 0, one}, {1, 0, ranks}}},
  };
}

}  // namespace fanin::model::laws
