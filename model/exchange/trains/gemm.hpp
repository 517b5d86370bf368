// GEMMs that run beside an exchange on the same GPU.
#pragma once

#include "fanin/model/simulate.hpp"
#include "nvlink_costs.hpp"

namespace fanin::model {

/// A GEMM runs slower by `gemm.displacement` times the share of SM time that kernels of the
/// exchange take from it while they work; a kernel that only waits for data costs it nothing.
/// Precondition: result.exchange and result.kernels are filled in, exchange.gemm_solo_us > 0.
GemmTimes gemm_times(const Exchange& exchange, const NvlinkCosts& costs,
                     const SimulationResult& result);

}  // namespace fanin::model
