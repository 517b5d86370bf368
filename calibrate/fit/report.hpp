// The calibration as JSON text, for the profile's report and for --json.
#pragma once

#include <string>

#include "fanin/calibrate/calibration.hpp"

namespace fanin::calibrate {

std::string to_json(const Calibration& calibration);

}  // namespace fanin::calibrate
