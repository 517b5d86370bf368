#include <algorithm>
#include <string>

#include "fanin/kernels/config_error.hpp"
#include "fanin/kernels/run.hpp"

namespace fanin::kernels {

namespace {

void require(bool holds, const char* where, long long value, const std::string& expected) {
  if (!holds) throw ConfigError(where, "is " + std::to_string(value), expected);
}

void check_range(const char* where, int value, int low, int high) {
  require(value >= low && value <= high, where, value,
          std::to_string(low) + " to " + std::to_string(high));
}

void check_shape(const Shape& shape) {
  check_range("ffn_ranks", shape.ffn_ranks, 1, kMaxPeers);
  check_range("sources", shape.sources, 1, kMaxPeers);
  check_range("gpus_per_domain", shape.gpus_per_domain, 1, kMaxRails);
  require(shape.ffn_ranks % shape.gpus_per_domain == 0, "ffn_ranks", shape.ffn_ranks,
          "a multiple of the " + std::to_string(shape.gpus_per_domain) + " GPUs of a domain");
  check_range("sources x gpus_per_domain", shape.attention_ranks(), 1, kMaxPeers);
  check_range("capacity", shape.capacity, 1, 1 << 20);
  check_range("hidden", shape.hidden, 8, 1 << 16);
  require(shape.hidden % 8 == 0, "hidden", shape.hidden, "a multiple of 8 (16-byte accesses)");
  check_range("top_k", shape.top_k, 1, 32);
  check_range("experts", shape.experts, shape.top_k, 4096);
  require(shape.experts % shape.ffn_ranks == 0, "experts", shape.experts,
          "a multiple of the " + std::to_string(shape.ffn_ranks) + " FFN ranks");
  check_range("transport_sms", shape.sms, 1, 1024);
  check_range("channels_per_sm", shape.channels_per_sm, 1, kMaxChannelsPerSm);
  check_range("tail_interval", shape.tail_interval, 1, 1 << 20);
  check_range("queues", shape.queues, 1, 4096);
  require(shape.options.rotate >= 0, "rotate", shape.options.rotate, "0 or more");
}

void check_routing(const RunConfig& config, int most) {
  const Shape& shape = config.shape;
  const std::size_t entries =
      static_cast<std::size_t>(shape.attention_ranks()) * most * shape.top_k;
  require(config.routing.size() == entries, "routing",
          static_cast<long long>(config.routing.size()),
          std::to_string(entries) + " entries (Attention ranks x tokens x top_k)");
  for (std::size_t i = 0; i < entries; ++i) {
    const int expert = config.routing[i];
    require(expert >= -1 && expert < shape.experts, "routing", expert,
            "-1 or an expert below " + std::to_string(shape.experts));
    const std::size_t first = i - i % static_cast<std::size_t>(shape.top_k);
    const auto own = config.routing.begin() + static_cast<std::ptrdiff_t>(first);
    const auto here = config.routing.begin() + static_cast<std::ptrdiff_t>(i);
    require(expert < 0 || std::find(own, here, expert) == here, "routing", expert,
            "distinct experts of one token");
  }
}

}  // namespace

void RunConfig::validate() const {
  check_shape(shape);
  require(tokens.size() == static_cast<std::size_t>(shape.attention_ranks()), "tokens",
          static_cast<long long>(tokens.size()), "one count an Attention rank");
  for (const int count : tokens) {
    require(count >= 0 && count <= shape.capacity, "tokens", count,
            "0 to the capacity, " + std::to_string(shape.capacity));
  }
  check_routing(*this, *std::max_element(tokens.begin(), tokens.end()));
  check_range("copy_ctas", copy_ctas, 0, 1 << 16);
  check_range("reduce_ctas", reduce_ctas, 0, 1 << 16);
  check_range("graph_exchanges", graph_exchanges, 1, 1000);
  check_range("replays", replays, 1, 10000);
  check_range("blocks", blocks, 1, 100000);
  check_range("warmup_blocks", warmup_blocks, 0, 100000);
  require(timeout_ms > 0.0 && timeout_ms <= 60000.0, "timeout_ms",
          static_cast<long long>(timeout_ms), "more than 0, at most 60000");
  require(transport == TransportKind::emulated_nic || nic.empty(), "nic",
          static_cast<long long>(nic.size()), "no NIC settings with --transport nvlink");
  require(transport == TransportKind::nvlink || !serial, "serial", 1,
          "the nvlink transport: a NIC runs beside the other kernels");
  require(shape.gpus_per_domain == 1 || !serial, "serial", 1,
          "one GPU a domain: the GPUs of a domain wait for each other inside their kernels");
}

}  // namespace fanin::kernels
