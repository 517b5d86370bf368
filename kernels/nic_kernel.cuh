// The persistent kernel of the emulated NIC.
#pragma once

#include "nic_engine.cuh"

namespace fanin::kernels::nic {

/// Grid: one CTA for `per_sm` NICs; kThreads threads; nic_shared_bytes of dynamic shared memory,
/// which keeps every other CTA off the SM. Ends after Control::stop, when all rings are empty.
__global__ void nic_kernel(RankNic* nics, int ranks, int per_sm, Control* control,
                           volatile unsigned* ready, device::Watch watch);

/// All of an SM's shared memory: no other CTA fits beside.
inline constexpr int kNicSharedBytes = 232448;

}  // namespace fanin::kernels::nic
