#include <string>
#include <utility>
#include <vector>

#include "fanin/model/safety.hpp"

namespace fanin::model::safety {

std::vector<std::string> System::validate() const {
  std::vector<std::string> problems;
  const auto range = [&](const std::string& field, int value, int low, int high) {
    if (value >= low && value <= high) return;
    problems.push_back(field + ": " + std::to_string(value) + "; expected " + std::to_string(low) +
                       "…" + std::to_string(high));
  };
  range("sources", sources, 1, 16);
  range("ffn_domains", ffn_domains, 1, 8);
  range("gpus_per_domain", gpus_per_domain, 1, 8);
  range("transport_sms", transport_sms, 1, 32);
  range("channels_per_sm", channels_per_sm, 1, 8);
  range("contexts", contexts, transport_sms, 256);
  range("tail_interval", tail_interval, 1, 64);
  range("count_writes", count_writes, 1, 4);
  range("exchanges", exchanges(), 1, 64);
  for (std::size_t n = 0; n < tokens.size(); ++n) {
    const std::string field = "tokens[" + std::to_string(n) + "]";
    const auto gpus = static_cast<std::size_t>(sources) * static_cast<std::size_t>(gpus_per_domain);
    if (tokens[n].size() != gpus) {
      problems.push_back(field + ": " + std::to_string(tokens[n].size()) + " entries; expected " +
                         std::to_string(gpus) + ", one an Attention GPU");
    }
    for (const int count : tokens[n]) range(field, count, 0, 64);
  }
  return problems;
}

namespace {

/// The same system with the other protocol's name.
std::vector<System> of_protocol(std::vector<System> systems, Protocol protocol) {
  if (protocol == Protocol::role) return systems;
  for (System& system : systems) {
    system.protocol = protocol;
    system.name += ", every GPU in both roles";
  }
  return systems;
}

}  // namespace

std::vector<System> small_systems(Protocol protocol) {
  System one;
  one.name = "1 source, 1 channel, 3 exchanges";
  one.sources = 1;
  one.channels_per_sm = 1;
  one.contexts = 1;
  one.tokens = {{1}, {0}, {2}};

  System two_channels = one;
  two_channels.name = "1 source, 2 channels, 3 exchanges";
  two_channels.channels_per_sm = 2;
  two_channels.contexts = 2;
  two_channels.tokens = {{2}, {0}, {1}};

  System two_sources = one;
  two_sources.name = "2 sources, 1 channel, 3 exchanges";
  two_sources.sources = 2;
  two_sources.tokens = {{0, 1}, {1, 1}, {2, 0}};

  System plain;
  plain.name = "2 sources, 2 channels, 3 exchanges";
  plain.tokens = {{2, 0}, {0, 1}, {1, 2}};

  System shared = plain;
  shared.name = "2 sources, 2 channels of one context, tail interval 2, 3 exchanges";
  shared.contexts = 1;
  shared.tail_interval = 2;
  shared.tokens = {{3, 0}, {0, 0}, {1, 3}};

  System ctas = plain;
  ctas.name = "2 sources, 2 CTAs of one channel, kernels strictly in order, 4 exchanges";
  ctas.transport_sms = 2;
  ctas.channels_per_sm = 1;
  ctas.launch_overlap = false;
  ctas.tokens = {{1, 1}, {0, 1}, {0, 0}, {1, 0}};

  System rails = plain;
  rails.name = "2 sources, 2 rails, 1 channel, 3 exchanges";
  rails.gpus_per_domain = 2;
  rails.channels_per_sm = 1;
  rails.contexts = 1;
  rails.tokens = {{1, 0, 0, 2}, {0, 1, 0, 0}, {1, 1, 1, 0}};

  System domains = plain;
  domains.name = "2 sources, 2 FFN domains, 1 channel, 3 exchanges";
  domains.ffn_domains = 2;
  domains.channels_per_sm = 1;
  domains.contexts = 1;
  domains.tokens = {{1, 0}, {0, 2}, {2, 1}};
  return of_protocol({one, two_channels, two_sources, plain, shared, ctas, rails, domains},
                     protocol);
}

std::vector<System> patterned_systems(Protocol protocol) {
  System base;
  constexpr int exchanges = 3;
  constexpr int most = 2;
  const int gpus = base.sources * base.gpus_per_domain;
  int patterns = 1;
  for (int i = 0; i < gpus * exchanges; ++i) patterns *= most + 1;
  std::vector<System> systems;
  for (int pattern = 0; pattern < patterns; ++pattern) {
    System system = base;
    std::string digits;
    int rest = pattern;
    for (int n = 0; n < exchanges; ++n) {
      if (n > 0) digits += " ";
      system.tokens.emplace_back();
      for (int gpu = 0; gpu < gpus; ++gpu) {
        system.tokens.back().push_back(rest % (most + 1));
        digits += std::to_string(rest % (most + 1));
        rest /= most + 1;
      }
    }
    system.name = "2 sources, 2 channels, tokens " + digits;
    systems.push_back(std::move(system));
  }
  return of_protocol(std::move(systems), protocol);
}

std::vector<System> large_systems(Protocol protocol) {
  System sources;
  sources.name = "3 sources, 4 channels on 3 contexts, tail interval 2, 3 exchanges";
  sources.sources = 3;
  sources.channels_per_sm = 4;
  sources.contexts = 3;
  sources.tail_interval = 2;
  sources.tokens = {{4, 0, 1}, {0, 5, 0}, {2, 1, 9}};

  System rails;
  rails.name = "3 sources, 2 rails, 4 channels on 3 contexts, tail interval 3, 4 exchanges";
  rails.sources = 3;
  rails.gpus_per_domain = 2;
  rails.channels_per_sm = 4;
  rails.contexts = 3;
  rails.tail_interval = 3;
  rails.tokens = {{4, 1, 0, 2, 5, 0}, {0, 3, 1, 0, 0, 0}, {2, 0, 4, 13, 1, 1}, {1, 1, 0, 0, 2, 5}};
  return of_protocol({sources, rails}, protocol);
}

}  // namespace fanin::model::safety
