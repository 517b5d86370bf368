// The NIC's benchmark in a build that has no CUDA: says what is missing.
#include "fanin/kernels/availability.hpp"
#include "fanin/kernels/config_error.hpp"
#include "fanin/kernels/nic_bench.hpp"

namespace fanin::kernels {

NicObservation observe_nic(const NicSettings&, const NicTraffic&) {
  throw ConfigError("emulated NIC", missing(), "a build with CUDA");
}

NicLatency lone_latency(const NicSettings&, int) {
  throw ConfigError("emulated NIC", missing(), "a build with CUDA");
}

}  // namespace fanin::kernels
