#include "fanin/model/preset.hpp"

#include <algorithm>

#include "fanin/hw/error.hpp"
#include "fanin/model/message_size.hpp"

namespace fanin::model {

int deepep_v2_channels_per_sm(const Exchange& exchange) {
  constexpr std::int64_t shared_memory = 232448;
  constexpr std::int64_t most_warps = 28;
  constexpr std::int64_t barrier = 32;
  const std::int64_t counted = exchange.ffn_ranks + exchange.attention_ranks + exchange.experts;
  const std::int64_t notify = (counted + 127) / 128 * 128 * 4;
  const std::int64_t dispatch = (shared_memory - notify) / (dispatch_row(exchange).count + barrier);
  const std::int64_t combine = shared_memory / (combine_row(exchange).count + barrier);
  return static_cast<int>(
      std::clamp(std::min({dispatch, most_warps, combine}) / 2, std::int64_t{1}, std::int64_t{8}));
}

void apply_preset(std::string_view name, Exchange& exchange) {
  if (name == "recorded") {
    exchange.channels_per_sm = 8;
    exchange.tail_interval = 3;
    exchange.queue_depth = 128;
    exchange.queues.reset();
    exchange.protocol = Protocol::role;
    exchange.combine_flush = false;
    return;
  }
  if (name == "deepep-v2") {
    exchange.channels_per_sm = deepep_v2_channels_per_sm(exchange);
    exchange.tail_interval = 6;
    exchange.queue_depth = 1024;
    exchange.queues.reset();
    exchange.protocol = Protocol::symmetric;
    exchange.combine_flush = exchange.path == Path::hybrid;
    return;
  }
  throw InputError("--preset", "'" + std::string(name) + "'", "recorded or deepep-v2");
}

}  // namespace fanin::model
