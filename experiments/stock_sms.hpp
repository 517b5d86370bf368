// How many transport SMs stock DeepEP V2 takes when it is not told, on a profile's machine.
#pragma once

#include "fanin/hw/profile.hpp"
#include "fanin/model/exchange.hpp"

namespace fanin::experiments {

/// model::deepep_v2_default_sms() of the exchange's world, at the profile's line rate and SMs.
int stock_sms(const model::Exchange& exchange, const hw::Profile& profile);

}  // namespace fanin::experiments
