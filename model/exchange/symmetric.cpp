#include "fanin/hw/error.hpp"
#include "paths.hpp"

namespace fanin::model {

SimulationResult simulate_symmetric(const Exchange&, const hw::Profile&, const SimulationOptions&) {
  throw InputError("protocol", "symmetric is not modelled", "role");
}

}  // namespace fanin::model
