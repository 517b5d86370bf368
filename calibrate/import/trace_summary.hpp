// Exchanges found in a trace to one record and its timeline.
#pragma once

#include <string>

#include "exchange_finder.hpp"
#include "fanin/calibrate/trace_import.hpp"

namespace fanin::calibrate {

/// `source` ("nsys", "kineto") and `paths` are stated in the record. Throws InputError when no
/// device has two anchors, naming the kernels seen.
TraceImport summarise(const ExchangeFinder& finder, const KernelTable& table,
                      const std::vector<std::string>& paths, const std::string& source,
                      const TraceOptions& options, const RecordSink& sink);

}  // namespace fanin::calibrate
