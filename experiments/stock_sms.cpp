#include "stock_sms.hpp"

#include <algorithm>
#include <cmath>

namespace fanin::experiments {
namespace {

/// Expected number of `groups` equal groups of experts that top-k different experts fall into.
double distinct_groups(int experts, int top_k, int groups) {
  const double outside = experts - static_cast<double>(experts) / groups;
  double missed = 1.0;  // probability that no expert lies in one group
  for (int i = 0; i < top_k; ++i) missed *= std::max(outside - i, 0.0) / (experts - i);
  return groups * (1.0 - missed);
}

}  // namespace

int stock_deepep_sms(const model::Exchange& exchange, const StockBandwidths& bandwidths) {
  const int ranks = exchange.ffn_ranks + exchange.attention_ranks;
  const int domains =
      exchange.path == model::Path::nvlink ? 1 : std::max(ranks / exchange.gpus_per_domain, 1);
  const double per_domain = static_cast<double>(ranks) / domains;
  const double r = 1.0 / distinct_groups(exchange.experts, exchange.top_k, ranks);
  double reads = r;
  double writes = 1.0;
  double rdma = 0.0;
  const double nvlink = 1.0 - 1.0 / per_domain;
  if (domains > 1) {
    const double s = distinct_groups(exchange.experts, exchange.top_k, domains);
    reads += s * r;
    writes += r + r * s / domains;
    rdma = r * s * (1.0 - 1.0 / domains);
  }
  const bool rdma_bound = rdma / bandwidths.rdma > nvlink / bandwidths.nvlink;
  const double traffic = rdma_bound ? rdma : nvlink;
  if (traffic <= 0.0) return bandwidths.device_sms;
  const double rate = (rdma_bound ? bandwidths.rdma : bandwidths.nvlink) / traffic;
  const double sms =
      rate * std::max(reads / bandwidths.sm_read, writes / bandwidths.sm_write) * 1.25;
  const int even = 2 * static_cast<int>(std::ceil(std::max(4.0, std::ceil(sms)) / 2.0));
  return std::min(even, bandwidths.device_sms);
}

}  // namespace fanin::experiments
