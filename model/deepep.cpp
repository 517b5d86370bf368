#include "fanin/model/deepep.hpp"

#include <algorithm>
#include <cmath>

#include "fanin/model/preset.hpp"

namespace fanin::model {
namespace {

/// Mean number of `parts` equal parts of the experts that hold at least one of a token's experts:
/// parts · (1 − C(E − E/parts, k) / C(E, k)).
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
          exchange.experts, exchange.top_k, exchange.path == Path::hybrid};
}

int deepep_v2_default_sms(const DeepEpWorld& world, bool overlaps_compute,
                          const DeepEpRates& rates) {
  const double n = world.domains;
  const double r = 1.0 / distinct(world, world.domains * world.gpus_per_domain);
  double reads = r;
  double writes = 1.0 / n;
  double over_nvlink = (1.0 - 1.0 / world.gpus_per_domain) / n;
  double over_rdma = 0.0;
  if (world.hybrid && world.domains > 1) {
    const double s = distinct(world, world.domains);
    reads += s * r;
    writes = r + r * s / n + 1.0;
    over_nvlink *= n;
    over_rdma = r * s * (1.0 - 1.0 / n);
  } else if (world.domains > 1) {
    writes += r;
  }
  const double time = std::max(over_rdma / rates.rdma, over_nvlink / rates.nvlink);
  double sms = rates.device_sms;  // nothing to move
  if (time > 0.0) sms = std::max(reads / rates.sm_read, writes / rates.sm_write) / time;
  const auto rounded = static_cast<int>(std::min(std::ceil(1.25 * sms), 1e6));
  const int even = (std::max(rounded, 4) + 1) / 2 * 2;
  return std::min(std::max(even, overlaps_compute ? 4 : 64), rates.device_sms);
}

int deepep_v2_channels(const Exchange& exchange, bool overlaps_compute) {
  const int channels = deepep_v2_channels_per_sm(exchange);
  return overlaps_compute ? channels : std::min(channels, 4);
}

int deepep_v2_queues(bool few_queue_nic) { return few_queue_nic ? 65 : 129; }

}  // namespace fanin::model
