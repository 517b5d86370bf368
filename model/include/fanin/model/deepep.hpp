// What stock DeepEP V2 (July 2026) chooses by itself, for users who want to see it beside a
// prediction.
#pragma once

#include "fanin/model/exchange.hpp"

namespace fanin::model {

/// What its bandwidth-only rule assumes of a machine, GB/s.
struct DeepEpRates {
  double rdma = 50.0;      ///< one port
  double nvlink = 450.0;   ///< one GPU, one direction
  double sm_read = 200.0;  ///< one SM
  double sm_write = 50.0;  ///< one SM
};

/// A world of `domains` NVLink domains of `gpus_per_domain` GPUs each, all of which own experts.
struct DeepEpWorld {
  int domains = 2;
  int gpus_per_domain = 8;
  int experts = 256;
  int top_k = 8;
};
/// Every domain of an exchange, Attention's and FFN's: stock kernels know no roles.
DeepEpWorld deepep_world(const Exchange& exchange);

/// SMs that it takes when the caller names none: enough to move the rows of one token while the
/// slower of its two links carries its share, × 1.25, even, at least 4; at least 64 when it need
/// not leave SMs to compute. A token is written once for each distinct domain (staged for RDMA) and
/// once for each distinct GPU (NVLink copies), read once and once again for each domain. Neither
/// the token count nor any control operation enters. This accounting was chosen because it gives
/// the published 12 SMs for 2 × 8 GPUs and 6 for 4 × 8.
int deepep_v2_default_sms(const DeepEpWorld& world, bool overlaps_compute = true,
                          const DeepEpRates& rates = {});

/// Channels per SM: deepep_v2_channels_per_sm() of preset.hpp, and no more than 4 when the caller
/// does not overlap with compute.
int deepep_v2_channels(const Exchange& exchange, bool overlaps_compute);

/// Contexts that it allocates, of which min(16 · SMs + 1, allocated) are used.
int deepep_v2_queues(bool few_queue_nic);

}  // namespace fanin::model
