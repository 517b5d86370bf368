// Settings of the CUDA runtime that must be made before its first call.
#pragma once

#include <cstdlib>

namespace fanin::kernels {

/// One hardware queue a stream, and no kernel that loads while others spin.
inline void prepare_environment() {
  setenv("CUDA_DEVICE_MAX_CONNECTIONS", "32", 1);
  setenv("CUDA_MODULE_LOADING", "EAGER", 1);
}

}  // namespace fanin::kernels
