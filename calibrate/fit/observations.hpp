// Every measured number that a fit sees, over the distinct exchanges that must be predicted for it.
#pragma once

#include <map>
#include <string>
#include <vector>

#include "fanin/calibrate/calibration.hpp"

namespace fanin::calibrate {

enum class Quantity { period, start, end, duration, first, median, last };

struct Observation {
  std::size_t exchange = 0;  ///< of Observations::exchanges
  Quantity quantity = Quantity::period;
  double measured_us = 0.0;
  double deviation_us = 1.0;  ///< one standard deviation, > 0
  double weight = 1.0;        ///< ≥ 0, on the residual
  bool traced = false;        ///< CUPTI watched: trace.overhead applies
  double period_us = 0.0;     ///< of the exchange it is part of, for relative kernel errors
  std::size_t record = 0;     ///< period: index into the records; else into the timelines
  std::string role;           ///< kernel and point times only
  int ordinal = 0;            ///< the GPU among those of its role
  std::string point;          ///< first, median, last: the step's name
  int launch_index = 0;
};

struct Observations {
  std::vector<model::Exchange> exchanges;
  std::vector<Observation> items;
};

/// Rows of equal configuration share one exchange, and so does a timeline of that configuration.
Observations observe(const std::vector<Record>& records, const std::vector<Timeline>& timelines,
                     const CalibrationOptions& options);

/// The predicted value of `item`; NaN when the prediction has no such kernel or point.
double predicted_us(const Observation& item, const Prediction& prediction,
                    const model::Exchange& exchange, double trace_overhead);

}  // namespace fanin::calibrate
