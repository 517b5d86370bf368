// Named settings of an exchange.
#pragma once

#include <string>
#include <string_view>

#include "fanin/model/exchange.hpp"

namespace fanin::model {

/// Channels per SM of stock DeepEP V2: half the warps whose tokens fit into shared memory,
/// min(8, floor(min(floor((smem − notify) / dispatch token), 28, floor(smem / combine token)) /
/// 2)), for its default, which prefers overlap with compute. smem = 232,448 B; a token takes its
/// row and 32 B for a barrier; notify takes 4 B for each rank and expert, in steps of 512 B.
/// Source: csrc/elastic/buffer.hpp and csrc/kernels/elastic/dispatch.hpp, deepseek-ai/DeepEP
/// dd758ca (14 July 2026).
int deepep_v2_channels_per_sm(const Exchange& exchange);

/// Sets what a preset says and leaves the rest. "recorded": the build of the recorded measurements.
/// "deepep-v2": stock DeepEP V2 of July 2026 (path, ranks, hidden, payload and top-k must be set
/// before). Throws InputError for another name.
void apply_preset(std::string_view name, Exchange& exchange);

}  // namespace fanin::model
