#include "fanin/calibrate/prediction.hpp"
#include "fanin/model/simulate.hpp"

namespace fanin::calibrate {

Predictor simulator_predictor() {
  return [](const model::Exchange& exchange, const hw::Profile& profile) {
    model::SimulationOptions options;
    options.explain = false;
    model::SimulationResult result = model::simulate(exchange, profile, options);
    return Prediction{result.exchange.us(), std::move(result.kernels)};
  };
}

}  // namespace fanin::calibrate
