// The persistent kernel of the emulated NIC.
#pragma once

#include "nic_engine.cuh"

namespace fanin::kernels::nic {

/// Grid: clusters of 1 + `movers` CTAs, one cluster for `per_sm` NICs; kThreads threads;
/// kNicSharedBytes of dynamic shared memory, which keep every other CTA off the SM. Ends after
/// Control::stop, when all rings are empty.
using NicKernel = void(RankNic* nics, int ranks, int per_sm, int movers, Control* control,
                       volatile unsigned* ready, device::Watch watch);

/// The kernel with or without RankNic::served.
NicKernel* nic_kernel(bool records_served);

/// All of an SM's shared memory: no other CTA fits beside.
inline constexpr int kNicSharedBytes = 232448;

}  // namespace fanin::kernels::nic
