// A build without CUPTI's header: says so.
#include "fanin/calibrate/kernel_tracer.hpp"
#include "fanin/hw/error.hpp"

namespace fanin::calibrate {

std::string KernelTracer::missing() {
  return "built without CUPTI: configure with a CUDA toolkit that has it";
}
KernelTracer::KernelTracer() { throw InputError("trace", missing(), "a build with CUPTI"); }
KernelTracer::~KernelTracer() = default;
KernelTrace KernelTracer::collect() { return {}; }

}  // namespace fanin::calibrate
