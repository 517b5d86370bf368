// Units as people write them into headings.
#pragma once

#include <optional>
#include <string>
#include <string_view>

namespace fanin::calibrate {

struct TimeHeading {
  std::string name;     ///< without the unit: "latency"
  double microseconds;  ///< one unit of the column
};

/// "latency_ms", "latency (ms)", "latency [ns]", "latency ms", "Time(us)"; nullopt when the heading
/// states no unit of time.
std::optional<TimeHeading> time_heading(std::string_view heading);

}  // namespace fanin::calibrate
