// Laws over tokens: what a row costs, and which of the links and the SMs is the bottleneck.
#include "family_parts.hpp"

namespace fanin::model::laws {
namespace {

double one(const LawPoint&) { return 1.0; }
double sources(const LawPoint& p) { return p.sources; }
double channels(const LawPoint& p) { return p.channels(); }
double rows(const LawPoint& p) { return p.tokens; }
double arriving_rows(const LawPoint& p) { return p.tokens * p.sources; }
double rows_per_sm(const LawPoint& p) { return p.tokens / p.transport_sms; }
double updates(const LawPoint& p) { return tail_updates(p) * p.sources; }
double busiest_rows(const LawPoint& p) { return busiest_channel_rows(p) * p.sources; }

constexpr LawParameter kConstant{"a", "us", "what every exchange costs"};
constexpr LawParameter kPerSource{"d", "us", "cost of one more source"};
constexpr LawParameter kPerRow{"r", "ns", "cost of one row at the fixed bottleneck"};
constexpr LawParameter kPerRowAndSm{"p", "ns", "time that one SM takes for one row"};

}  // namespace

std::vector<Law> token_laws() {
  return {
      {"fixed_per_row",
       "a fixed cost and one for each row",
       "a + r·T",
       {kConstant, kPerRow},
       {"tokens"},
       {{0, 0, one}, {1, 0, rows}}},
      {"fixed_or_per_row",
       "rows cost nothing until they outlast a fixed chain",
       "max(w, a + r·T)",
       {{"w", "us", "time of the chain"}, kConstant, kPerRow},
       {"tokens"},
       {{0, 1, one}, {1, 2, one}, {2, 2, rows}}},
      {"fixed_per_arriving_row",
       "a fixed cost, one for each source and one for each row that arrives",
       "a + d·S + r·S·T",
       {kConstant, kPerSource, kPerRow},
       {"sources", "tokens"},
       {{0, 0, one}, {1, 0, sources}, {2, 0, arriving_rows}}},
      {"saturating_bandwidth",
       "bandwidth that grows with SMs until a link saturates",
       "a + max(p·T/n, r·T)",
       {kConstant, kPerRowAndSm, kPerRow},
       {"transport_sms", "tokens"},
       {{0, 0, one}, {1, 1, rows_per_sm}, {2, 2, rows}}},
      {"link_or_sms",
       "the slower of a fixed cost per row and a saturating bandwidth over SMs",
       "a + max(w + r·T, p·T/n)",
       {kConstant, {"w", "us", "head start of the SMs over the link"}, kPerRow, kPerRowAndSm},
       {"transport_sms", "tokens"},
       {{0, 0, one}, {1, 1, one}, {2, 1, rows}, {3, 2, rows_per_sm}}},
      {"competing_resources_rows",
       "competing resources with tail updates in place of channels, a chain over the rows of the "
       "busiest channel, and a cost per arriving row",
       "a + d·S + r·S·T + max(b·U·S, e·C, w + h·S·ceil(T/C)), U = tail updates of a source",
       {kConstant,
        kPerSource,
        {"r", "ns", "cost of one arriving row"},
        {"b", "ns", "cost of one tail update at the FFN NIC"},
        {"e", "ns", "cost of one channel, whatever the sources"},
        {"w", "us", "chain that depends on neither"},
        {"h", "us", "cost of one row in the chain of the busiest channel"}},
       {"transport_sms", "sources", "tokens"},
       {{0, 0, one},
        {1, 0, sources},
        {2, 0, arriving_rows},
        {3, 1, updates},
        {4, 2, channels},
        {5, 3, one},
        {6, 3, busiest_rows}}},
  };
}

}  // namespace fanin::model::laws
