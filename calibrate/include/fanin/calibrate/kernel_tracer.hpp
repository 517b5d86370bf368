// Start and end of every kernel that this process runs, from CUPTI's activity records. CUPTI is
// loaded when used; kernels that run side by side stay so, and kernels of CUDA graphs are recorded
// one by one.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

namespace fanin::calibrate {

struct TracedKernel {
  std::string name;  ///< without namespaces, template arguments and parameters: "ffn_dispatch"
  std::uint32_t device = 0;
  std::uint32_t stream = 0;
  std::uint64_t start_ns = 0;  ///< one clock for all devices; steps of 32 ns on an H200
  std::uint64_t end_ns = 0;    ///< > start_ns
  int grid = 0;                ///< CTAs
  int threads = 0;             ///< of one CTA
};

struct KernelTrace {
  std::vector<TracedKernel> kernels;  ///< by start
  std::size_t dropped = 0;            ///< records that CUPTI had no room for
  std::size_t without_time = 0;       ///< records with start = end = 0: CUPTI could not time them
};

/// "void a::b::kernel<int>(x)" -> "kernel"; mangled names too.
std::string kernel_name(const std::string& symbol);

/// One at a time in a process; start it before the process's first CUDA call.
class KernelTracer {
 public:
  /// Empty when kernels can be traced, else what is missing.
  static std::string missing();

  /// Throws InputError when missing() is not empty or CUPTI refuses.
  KernelTracer();
  ~KernelTracer();
  KernelTracer(const KernelTracer&) = delete;
  KernelTracer& operator=(const KernelTracer&) = delete;

  /// Collects what has run since the tracer was made, or since the last call. The device must be
  /// idle.
  KernelTrace collect();
};

}  // namespace fanin::calibrate
