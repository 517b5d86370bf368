// What calibration fits through: a function from an exchange and a machine to times.
#pragma once

#include <functional>
#include <vector>

#include "fanin/hw/profile.hpp"
#include "fanin/model/exchange.hpp"
#include "fanin/model/simulate.hpp"

namespace fanin::calibrate {

struct Prediction {
  double exchange_us = 0.0;                ///< the steady period, > 0
  std::vector<model::KernelSpan> kernels;  ///< of the steady exchange; may be empty
  std::vector<model::PointTimes> points;   ///< likewise
};

/// Pure, and safe to call from several threads. Throws InputError for an exchange that it cannot
/// predict; such rows are left out of a fit, with the reason.
using Predictor = std::function<Prediction(const model::Exchange&, const hw::Profile&)>;

/// The discrete-event simulator. `points`: fill Prediction::points, which costs time.
Predictor simulator_predictor(bool points = false);

}  // namespace fanin::calibrate
