#include "layout.hpp"

namespace fanin::model::safety {
namespace {

std::string number(int value) { return std::to_string(value); }
std::string index(int a, int b) { return "[" + number(a) + "][" + number(b) + "]"; }
std::string index(int a, int b, int c) { return index(a, b) + "[" + number(c) + "]"; }

std::vector<Gpu> grid(int domains, int rails) {
  std::vector<Gpu> gpus;
  for (int domain = 0; domain < domains; ++domain) {
    for (int rail = 0; rail < rails; ++rail) gpus.push_back({domain, rail});
  }
  return gpus;
}

std::vector<Gpu> rail_of(int domains, int rail) {
  std::vector<Gpu> gpus;
  for (int domain = 0; domain < domains; ++domain) gpus.push_back({domain, rail});
  return gpus;
}

}  // namespace

std::vector<Gpu> Layout::attention_gpus() const { return grid(sources(), system_.gpus_per_domain); }
std::vector<Gpu> Layout::ffn_gpus() const { return grid(ffn_domains(), system_.gpus_per_domain); }
std::vector<Gpu> Layout::peers_of_ffn(const Gpu& ffn) const { return rail_of(sources(), ffn.rail); }
std::vector<Gpu> Layout::peers_of_attention(const Gpu& attention) const {
  return rail_of(ffn_domains(), attention.rail);
}

std::vector<int> Layout::tokens(int exchange, const Gpu& attention, int ffn_domain) const {
  int source = attention.domain;
  if (symmetric()) {
    source -= system_.ffn_domains;
    if (source < 0 || ffn_domain >= system_.ffn_domains) return {};
  }
  const int count = system_.tokens[exchange][source * system_.gpus_per_domain + attention.rail];
  std::vector<int> result;
  for (int token = 0; token < count; ++token) {
    // Even tokens have experts in all domains, odd ones in one.
    if (token % 2 == 0 || token % system_.ffn_domains == ffn_domain) result.push_back(token);
  }
  return result;
}

std::vector<int> Layout::list(int exchange, const Gpu& ffn, int source, int channel) const {
  const Gpu attention{source, ffn.rail};
  std::vector<int> result = tokens(exchange, attention, ffn.domain);
  const int number = symmetric() ? source - system_.ffn_domains : source;
  std::erase_if(result, [&](int token) {
    return channel_of(rules_.fixed, number, ffn.rail, token, rules_.channels) != channel;
  });
  return result;
}

bool Layout::has_expert_at(int token, int rail) const {
  return token % 2 == 0 || token % system_.gpus_per_domain == rail;
}

int Layout::data_context(int channel) const {
  const int sms = system_.transport_sms;
  const int sm = cta(channel);
  const int contexts_of_sm = system_.contexts / sms + (sm < system_.contexts % sms ? 1 : 0);
  return sm + channel % system_.channels_per_sm % contexts_of_sm * sms;
}

int Layout::gpu_group(const Gpu& gpu, bool is_ffn) const {
  const int first = is_ffn && !symmetric() ? system_.sources : 0;
  return (first + gpu.domain) * system_.gpus_per_domain + gpu.rail;
}

int Layout::nic_group(const Gpu& gpu, bool is_ffn) const {
  return domains() * system_.gpus_per_domain + gpu_group(gpu, is_ffn);
}

std::string Layout::gpu_name(const Gpu& gpu, bool as_ffn, const std::string& what) const {
  const bool ffn = symmetric() ? gpu.domain < system_.ffn_domains : as_ffn;
  const int domain = symmetric() && !ffn ? gpu.domain - system_.ffn_domains : gpu.domain;
  const bool one_rail = gpu.rail < 0 || system_.gpus_per_domain == 1;
  return (ffn ? "FFN " : "Attention ") + what + number(domain) +
         (one_rail ? "" : "." + number(gpu.rail));
}

std::string Layout::entry(const Gpu& at, Phase phase, int from) const {
  return std::string(phase == Phase::dispatch ? "dispatch" : "combine") + " entry signal[" +
         number(from) + "] at " + ffn(at);
}
std::string Layout::tail(const Gpu& at, int source, int channel) const {
  return "tail" + index(channel, source) + " at " + ffn(at);
}
std::string Layout::taken(const Gpu& at, int source, int channel) const {
  return "rows taken of list" + index(channel, source) + " at " + ffn(at);
}
std::string Layout::count(const Gpu& at, int source, int which) const {
  return "count word" + index(source, which) + " at " + ffn(at);
}
std::string Layout::merged_dispatch_finish(const Gpu& at, int source) const {
  return "merged finish[" + number(source) + "] at " + ffn(at);
}
std::string Layout::dispatch_row(const Gpu& at, int source, int channel, int i) const {
  return "row slot" + index(channel, source, i) + " at " + ffn(at);
}
std::string Layout::forwarded_row(const Gpu& from, int to_rail, int source, int channel,
                                  int i) const {
  return "forwarded row" + index(channel, source, i) + " from rail " + number(from.rail) + " at " +
         ffn({from.domain, to_rail});
}
std::string Layout::list_end(const Gpu& from, int to_rail, int channel) const {
  return "list end[" + number(channel) + "] from rail " + number(from.rail) + " at " +
         ffn({from.domain, to_rail});
}
std::string Layout::expert_tail(const Gpu& at, int from_rail, int channel) const {
  return "NVLink tail[" + number(channel) + "] from rail " + number(from_rail) + " at " + ffn(at);
}
std::string Layout::expert_row(const Gpu& at, int from_rail, int source, int channel, int i) const {
  return "expert row" + index(channel, source, i) + " from rail " + number(from_rail) + " at " +
         ffn(at);
}
std::string Layout::staged_row(const Gpu& at, int source, int channel, int i) const {
  return "staged row" + index(channel, source, i) + " at " + ffn(at);
}
std::string Layout::send_row(const Gpu& at, int ffn_domain, int channel, int i) const {
  return "send row" + index(channel, ffn_domain, i) + " at " + attention(at);
}
std::string Layout::finish(const Gpu& at, int ffn_domain, int channel) const {
  return "finish word" + index(channel, ffn_domain) + " at " + attention(at);
}
std::string Layout::merged_combine_finish(const Gpu& at, int ffn_domain) const {
  return "merged finish word[" + number(ffn_domain) + "] at " + attention(at);
}
std::string Layout::release(const Gpu& at, int ffn_domain) const {
  return "release[" + number(ffn_domain) + "] at " + attention(at);
}
std::string Layout::combined_row(const Gpu& at, int ffn_domain, int token) const {
  return "combined row" + index(token, ffn_domain) + " at " + attention(at);
}

}  // namespace fanin::model::safety
