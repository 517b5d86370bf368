// In-kernel stamps of one exchange as rows of a timeline: when each GPU passed the protocol's
// steps.
#pragma once

#include <string>
#include <vector>

#include "fanin/kernels/run.hpp"
#include "output.hpp"

namespace fanin::experiments {

/// Times in µs; zero = the first source's first dispatch finish posted (model::PointTimes).
struct StampedPoint {
  int device = 0;  ///< world rank: FFN ranks, then sources
  std::string role;
  std::string point;
  std::size_t events = 0;  ///< channels, rows or words, ≥ 1
  double first_us = 0.0;
  double median_us = 0.0;  ///< of an even number: the later of the two in the middle
  double last_us = 0.0;
};

/// By device, then by name. A step whose stamps have partly left their rings is not among them.
/// Empty without a stamp of the first source's finishes.
std::vector<StampedPoint> stamped_points(const kernels::RunResult& result,
                                         const kernels::Shape& shape);

Json to_json(const std::vector<StampedPoint>& points);
void print(const std::vector<StampedPoint>& points);

}  // namespace fanin::experiments
