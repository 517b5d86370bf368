// Exchanges and routing tables that the tests of train exchanges share.
#pragma once

#include <cstdint>
#include <memory>

#include "fanin/hw/profile.hpp"
#include "fanin/model/simulate.hpp"

namespace fanin::model::test {

inline Exchange domain(int attention, int ffn, int tokens, int sms = 24) {
  Exchange exchange;
  exchange.path = Path::nvlink;
  exchange.attention_ranks = attention;
  exchange.ffn_ranks = ffn;
  exchange.experts = ffn == 3 ? 96 : 128;
  exchange.tokens = tokens;
  exchange.transport_sms = sms;
  return exchange;
}

inline Exchange direct(int sources, int tokens) {
  Exchange exchange;
  exchange.path = Path::direct;
  exchange.attention_ranks = 4 * sources;
  exchange.tokens = tokens;
  exchange.transport_sms = 24;
  return exchange;
}

/// Distinct experts for each token, from a fixed sequence.
inline std::shared_ptr<const RoutingTable> table_of(const Exchange& exchange) {
  auto table = std::make_shared<RoutingTable>();
  table->top_k = exchange.top_k;
  table->tokens = exchange.tokens;
  table->attention_ranks = exchange.attention_ranks;
  std::uint32_t state = 12345;
  for (int token = 0; token < exchange.tokens * exchange.attention_ranks; ++token) {
    state = state * 1664525U + 1013904223U;
    const int first = static_cast<int>(state >> 8) % exchange.experts;
    // A step that shares no factor with the experts visits distinct ones.
    for (int i = 0; i < exchange.top_k; ++i)
      table->experts.push_back((first + i * 29) % exchange.experts);
  }
  return table;
}

inline Picoseconds period(const Exchange& exchange, const hw::Profile& profile = {}) {
  return simulate(exchange, profile).exchange;
}

/// The registry's priors with every time at zero and every rate beyond all limits, so that a test
/// can turn single mechanisms on.
inline hw::Profile silent() {
  hw::Profile profile;
  for (const hw::ParameterSpec& spec : hw::parameter_registry()) {
    const bool time = spec.unit == "us" || spec.unit == "ns";
    const bool rate = spec.unit == "GB/s";
    if (!time && !rate) continue;
    profile.parameters[std::string(spec.name)] = {
        time ? 0.0 : 1e9, std::string(spec.unit), {}, hw::Source::literature, "test", true};
  }
  return profile;
}

inline void set(hw::Profile& profile, const std::string& name, double value) {
  profile.parameters[name].value = value;
  profile.parameters[name].unit = std::string(hw::find_parameter(name)->unit);
}

}  // namespace fanin::model::test
