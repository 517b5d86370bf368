// Exchanges and profiles that the exchange's tests share.
#pragma once

#include <string>
#include <string_view>

#include "fanin/hw/profile.hpp"
#include "fanin/model/simulate.hpp"

namespace fanin::model {

/// The recorded cluster's shape: four GPUs a domain, one FFN domain.
inline Exchange hybrid(int sources, int sms, int tokens) {
  Exchange exchange;
  exchange.attention_ranks = sources * exchange.gpus_per_domain;
  exchange.transport_sms = sms;
  exchange.tokens = tokens;
  return exchange;
}

inline void set(hw::Profile& profile, std::string_view name, double value) {
  hw::Parameter& parameter = profile.parameters[std::string(name)];
  parameter.unit = std::string(hw::find_parameter(name)->unit);
  parameter.value = value;
}

/// Every time is 0, and every rate no constraint or as fast as the registry allows.
inline hw::Profile free_profile() {
  hw::Profile profile;
  for (const hw::ParameterSpec& spec : hw::parameter_registry()) {
    if (spec.unit == "us" || spec.unit == "ns")
      set(profile, spec.name, spec.low > 0.0 ? spec.low : 0.0);
    if (spec.unit == "GB/s") set(profile, spec.name, spec.low == 0.0 ? 0.0 : spec.high);
  }
  return profile;
}

inline Picoseconds period(const Exchange& exchange, const hw::Profile& profile) {
  return simulate(exchange, profile).exchange;
}

}  // namespace fanin::model
