// Laws over channels and sources: the rival explanations of T(C, S) at one token.
#include <algorithm>

#include "family_parts.hpp"

namespace fanin::model::laws {
namespace {

double one(const LawPoint&) { return 1.0; }
double sources(const LawPoint& p) { return p.sources; }
double channels(const LawPoint& p) { return p.channels(); }
double operations(const LawPoint& p) { return p.channels() * p.sources; }

/// Data contexts of the recorded build: 129 allocated, one of them for counts.
double active_queues(const LawPoint& p) { return std::min(p.channels(), 128.0); }

constexpr LawParameter kConstant{"a", "us", "what every exchange costs"};
constexpr LawParameter kPerSource{"d", "us", "cost of one more source"};
constexpr LawParameter kPerOperation{"b", "ns",
                                     "cost of one (channel, source) pair at the FFN NIC"};
constexpr LawParameter kPerChannel{"e", "ns", "cost of one channel, whatever the sources"};

}  // namespace

std::vector<Law> channel_laws() {
  const std::vector<std::string_view> sms{"transport_sms"};
  const std::vector<std::string_view> both{"transport_sms", "sources"};
  return {
      {"H_A",
       "cost per operation at the FFN NIC, plus one per source (the published linear form)",
       "a + b·C·S + d·S",
       {kConstant, kPerOperation, kPerSource},
       both,
       {{0, 0, one}, {1, 0, operations}, {2, 0, sources}}},
      {"H_A_pure",
       "cost per operation at the FFN NIC and nothing else that grows with sources",
       "a + b·C·S",
       {kConstant, kPerOperation},
       both,
       {{0, 0, one}, {1, 0, operations}}},
      {"H_B",
       "cost per channel that does not depend on sources, plus one per source",
       "a + e·C + d·S",
       {kConstant, kPerChannel, kPerSource},
       both,
       {{0, 0, one}, {1, 0, channels}, {2, 0, sources}}},
      {"mixed",
       "cost per operation and cost per channel, one after the other",
       "a + b·C·S + e·C + d·S",
       {kConstant, kPerOperation, kPerChannel, kPerSource},
       both,
       {{0, 0, one}, {1, 0, operations}, {2, 0, channels}, {3, 0, sources}}},
      {"H_QP",
       "cost per active queue, of which there are at most 128",
       "a + q·min(C,128) + d·S",
       {kConstant, {"q", "ns", "cost of one active queue"}, kPerSource},
       both,
       {{0, 0, one}, {1, 0, active_queues}, {2, 0, sources}}},
      {"competing_resources",
       "FFN NIC, a path that grows with channels alone, and a chain that grows with neither, side "
       "by side",
       "a + d·S + max(b·C·S, e·C, w)",
       {kConstant,
        kPerSource,
        kPerOperation,
        kPerChannel,
        {"w", "us", "chain that depends on neither channels nor sources"}},
       both,
       {{0, 0, one}, {1, 0, sources}, {2, 1, operations}, {3, 2, channels}, {4, 3, one}}},
      {"channels",
       "cost per channel, for runs with one number of sources",
       "a + e·C",
       {kConstant, kPerChannel},
       sms,
       {{0, 0, one}, {1, 0, channels}}},
      {"channels_or_chain",
       "cost per channel beside a chain of constant length, for runs with one number of sources",
       "max(w, a + e·C)",
       {{"w", "us", "time of the chain"}, kConstant, kPerChannel},
       sms,
       {{0, 1, one}, {1, 2, one}, {2, 2, channels}}},
  };
}

}  // namespace fanin::model::laws
