// Named settings of an exchange.
#pragma once

#include <string>
#include <string_view>

#include "fanin/model/exchange.hpp"

namespace fanin::model {

/// Channels per SM of stock DeepEP V2: half the warps whose tokens fit into shared memory,
/// min(8, floor(min(floor((smem − notify) / dispatch row), 28, floor(smem / combine row)) / 2)),
/// for its default, which prefers overlap with compute. smem = 232,448 B; notify's share is 8 B an
/// expert, which lies in the range that reproduces 8, 7, 7 and 6 for FP8 and BF16 at hidden 7168
/// and 8192.
int deepep_v2_channels_per_sm(const Exchange& exchange);

/// Sets what a preset says and leaves the rest. "recorded": the build of the recorded measurements.
/// "deepep-v2": stock DeepEP V2 of July 2026 (hidden, payload and top-k must be set before).
/// Throws InputError for another name.
void apply_preset(std::string_view name, Exchange& exchange);

}  // namespace fanin::model
