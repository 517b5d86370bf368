#include "fanin/model/message_size.hpp"

#include <algorithm>

namespace fanin::model {
namespace {

constexpr std::int64_t align32(std::int64_t bytes) { return (bytes + 31) / 32 * 32; }

}  // namespace

Bytes dispatch_row(const Exchange& exchange) {
  const std::int64_t hidden = exchange.hidden;
  const std::int64_t values =
      exchange.payload == Payload::bf16 ? 2 * hidden : hidden + (hidden + 127) / 128 * 4;
  return {values + align32(12 * std::int64_t{exchange.top_k} + 4)};
}

Bytes combine_row(const Exchange& exchange) {
  return {2 * std::int64_t{exchange.hidden} + align32(8 * std::int64_t{exchange.top_k})};
}

Bytes count_write(const Exchange& exchange) {
  return {4 * std::int64_t{exchange.experts} / std::max(exchange.ffn_domains(), 1)};
}

}  // namespace fanin::model
