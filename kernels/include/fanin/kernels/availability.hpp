// Whether this build and this machine can run the GPU verbs, and what is missing if not.
#pragma once

#include <string>

namespace fanin::kernels {

/// True when the CUDA kernels were compiled in.
bool built_with_cuda();

/// Empty when a GPU can be used; else one line that says what is missing, for example
/// "no GPU: the NVIDIA driver (libcuda.so.1) is not installed".
std::string missing();

}  // namespace fanin::kernels
