#include "fanin/calibrate/prediction.hpp"
#include "fanin/model/simulate.hpp"

namespace fanin::calibrate {

Predictor simulator_predictor(bool points) {
  return [points](const model::Exchange& exchange, const hw::Profile& profile) {
    model::SimulationOptions options;
    options.explain = false;
    options.record_points = points;
    model::SimulationResult result = model::simulate(exchange, profile, options);
    return Prediction{result.exchange.us(), std::move(result.kernels), std::move(result.points)};
  };
}

}  // namespace fanin::calibrate
