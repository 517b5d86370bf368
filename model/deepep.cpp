#include "fanin/model/deepep.hpp"

#include <algorithm>
#include <cmath>

#include "fanin/model/preset.hpp"

namespace fanin::model {
namespace {

/// Mean number of `parts` equal parts of the experts that hold at least one of a token's experts.
double distinct(const DeepEpWorld& world, int parts) {
  const double share = static_cast<double>(world.experts) / parts;
  double none = 1.0;
  for (int i = 0; i < world.top_k; ++i) {
    none *= std::max(0.0, world.experts - share - i) / (world.experts - i);
  }
  return parts * (1.0 - none);
}

}  // namespace

DeepEpWorld deepep_world(const Exchange& exchange) {
  const bool one_domain = exchange.path == Path::nvlink;
  return {one_domain ? 1 : exchange.ffn_domains() + exchange.sources(),
          one_domain ? exchange.ffn_ranks + exchange.attention_ranks : exchange.gpus_per_domain,
          exchange.experts, exchange.top_k};
}

int deepep_v2_default_sms(const DeepEpWorld& world, bool overlaps_compute,
                          const DeepEpRates& rates) {
  const double domains = distinct(world, world.domains);
  const double gpus = distinct(world, world.domains * world.gpus_per_domain);
  // Its own domain and GPU are as likely as any other.
  const double over_rdma = domains * (world.domains - 1) / world.domains;
  const double over_nvlink = gpus * (world.gpus_per_domain - 1) / world.gpus_per_domain;
  const double time = std::max(over_rdma / rates.rdma, over_nvlink / rates.nvlink);
  const double staged = world.domains > 1 ? domains : 0.0;
  const double writing = (staged + gpus) / rates.sm_write;
  const double reading = (1.0 + staged) / rates.sm_read;
  const double sms = 1.25 * std::max(writing, reading) / time;
  const int even = 2 * static_cast<int>(std::ceil(sms / 2.0));
  return std::max(even, overlaps_compute ? 4 : 64);
}

int deepep_v2_channels(const Exchange& exchange, bool overlaps_compute) {
  const int channels = deepep_v2_channels_per_sm(exchange);
  return overlaps_compute ? channels : std::min(channels, 4);
}

int deepep_v2_queues(bool few_queue_nic) { return few_queue_nic ? 65 : 129; }

}  // namespace fanin::model
