// What stock DeepEP V2 (July 2026) chooses by itself, for users who want to see it beside a
// prediction.
#pragma once

#include "fanin/model/exchange.hpp"

namespace fanin::model {

/// What its bandwidth-only rule assumes of a machine, GB/s.
struct DeepEpRates {
  double rdma = 50.0;      ///< one port, as `ibstat` names it
  double nvlink = 430.0;   ///< all links of one GPU × 0.9: 18 links of 26.562 GB/s on Hopper
  double sm_read = 200.0;  ///< one SM
  double sm_write = 50.0;  ///< one SM
  int device_sms = 132;
};

/// A world of `domains` NVLink domains of `gpus_per_domain` GPUs each, all of which own experts.
struct DeepEpWorld {
  int domains = 2;
  int gpus_per_domain = 8;
  int experts = 256;
  int top_k = 8;
  bool hybrid = true;  ///< RDMA between domains on rails; false: to each GPU
};
/// Every domain of an exchange, Attention's and FFN's: stock kernels know no roles.
DeepEpWorld deepep_world(const Exchange& exchange);

/// SMs that it takes when the caller names none. Per byte of expert rows, with r = 1 / expected
/// distinct GPUs of a token, s = expected distinct domains, N domains of U GPUs:
///   hybrid, N > 1:  an SM reads r + s·r and writes r + r·s/N + 1; RDMA carries r·s·(1 − 1/N),
///                   NVLink 1 − 1/U, and the slower of the two sets the pace;
///   else:           it reads r and writes 1/N, r more where N > 1; NVLink carries (1 − 1/U)/N and
///                   sets the pace.
/// SMs = pace × the larger of reads / sm_read and writes / sm_write, × 1.25, rounded up, at least
/// 4, even; at least 64 when it need not leave SMs to compute; at most the device's. Neither the
/// token count nor any control operation enters. Where experts do not divide over the groups the
/// library refuses; the chance of reaching a group is then taken with a broken number of experts.
/// Source: get_theoretical_num_sms in deep_ep/buffers/elastic.py, deepseek-ai/DeepEP dd758ca (14
/// July 2026).
int deepep_v2_default_sms(const DeepEpWorld& world, bool overlaps_compute = true,
                          const DeepEpRates& rates = {});

/// Channels per SM: deepep_v2_channels_per_sm() of preset.hpp, and no more than 4 when the caller
/// does not overlap with compute.
int deepep_v2_channels(const Exchange& exchange, bool overlaps_compute);

/// Contexts that it allocates, of which min(16 · SMs + 1, allocated) are used.
int deepep_v2_queues(bool few_queue_nic);

}  // namespace fanin::model
