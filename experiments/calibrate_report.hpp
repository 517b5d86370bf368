// What `fanin calibrate` prints.
#pragma once

#include <vector>

#include "fanin/calibrate/calibration.hpp"
#include "fanin/calibrate/calibration_next.hpp"
#include "output.hpp"

namespace fanin::experiments {

void print(const calibrate::Calibration& calibration);
void print(const std::vector<calibrate::NextMeasurement>& runs);

/// {"report":{…the
/// profile's…},"ensemble":[{"weight","values"}],"next":[{"exchange","gain","predicted_us"}]}
Json to_json(const calibrate::Calibration& calibration,
             const std::vector<calibrate::NextMeasurement>& runs);

}  // namespace fanin::experiments
