// Checked CUDA calls: one macro that throws with file, line and expression, one that never throws.
#pragma once

#include <cuda_runtime.h>

#include <atomic>
#include <cstdio>
#include <stdexcept>
#include <string>

namespace fanin::kernels {

/// A CUDA call failed, or a kernel did.
class CudaError : public std::runtime_error {
 public:
  using std::runtime_error::runtime_error;
};

inline std::string cuda_message(cudaError_t status, const char* expression, const char* file,
                                int line) {
  return std::string(file) + ":" + std::to_string(line) + ": " + expression + ": " +
         cudaGetErrorString(status);
}

/// After a failed kernel every call fails in the same way: told once.
inline void cuda_warn(cudaError_t status, const char* expression, const char* file, int line) {
  static std::atomic<bool> told{false};
  if (status == cudaSuccess || told.exchange(true)) return;
  std::fprintf(stderr, "fanin: %s\n", cuda_message(status, expression, file, line).c_str());
}

}  // namespace fanin::kernels

#define FANIN_CUDA_CHECK(expression)                                                      \
  do {                                                                                    \
    const cudaError_t fanin_status = (expression);                                        \
    if (fanin_status != cudaSuccess)                                                      \
      throw ::fanin::kernels::CudaError(                                                  \
          ::fanin::kernels::cuda_message(fanin_status, #expression, __FILE__, __LINE__)); \
  } while (false)

/// For destructors: reports on stderr, never throws.
#define FANIN_CUDA_WARN(expression) \
  ::fanin::kernels::cuda_warn((expression), #expression, __FILE__, __LINE__)
