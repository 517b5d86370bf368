// Timelines for ui.perfetto.dev: Chrome's trace event format.
#pragma once

#include <string>
#include <vector>

#include "fanin/model/simulate.hpp"

namespace fanin::experiments {

/// One process for each GPU (the track's name up to its first '/'), one thread for each track, one
/// slice for each event; an arrow along each flow in order of time. Times in microseconds.
void write_trace(const std::string& path, const std::vector<model::TraceEvent>& events);

}  // namespace fanin::experiments
