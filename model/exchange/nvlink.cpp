#include "fanin/hw/error.hpp"
#include "paths.hpp"

namespace fanin::model {

SimulationResult simulate_nvlink(const Exchange&, const hw::Profile&, const SimulationOptions&) {
  throw InputError("path", "nvlink is not modelled", "hybrid");
}

}  // namespace fanin::model
