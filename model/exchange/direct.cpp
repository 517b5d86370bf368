#include "fanin/hw/error.hpp"
#include "paths.hpp"

namespace fanin::model {

SimulationResult simulate_direct(const Exchange&, const hw::Profile&, const SimulationOptions&) {
  throw InputError("path", "direct is not modelled", "hybrid");
}

}  // namespace fanin::model
