// Kernel traces of other profilers to records: exchanges are found by their anchor kernel, and the
// distance of two anchors on a device is the exchange's period.
#pragma once

#include <string>
#include <vector>

#include "fanin/calibrate/import.hpp"

namespace fanin::calibrate {

struct TraceOptions {
  /// File of rows that come before the built-in table (kernel_table()); empty: only that.
  std::string kernels;
  /// Name or part of a name of the kernel that starts an exchange; empty: the table's anchors.
  std::string anchor;
  /// Medians are taken over this many exchanges at the end of the trace, after warm-up.
  int last = 20;
  StatedFields set;
};

struct TraceImport {
  ImportReport report;
  /// Median start, end and duration of each kernel on each device, one JSON object a line in the
  /// schema that read_timelines takes; empty where no clock is shared.
  std::vector<std::string> timeline;
};

/// The built-in table as text, in the format of TraceOptions::kernels: a row is
/// `PART LABEL [anchor] [ffn|attention]`, where PART is part of a kernel's name and LABEL what it
/// is called in records; the first row that matches counts; # starts a comment.
std::string kernel_table();

/// An nsys export (`nsys export --type sqlite`, also nvprof's). Columns are looked up by name,
/// since they differ by version. Throws InputError for what is no such database, for traces of
/// whole graphs without their kernels, and when no exchange is found, naming the kernels seen.
TraceImport import_nsys(const std::vector<std::string>& paths, const TraceOptions& options,
                        const RecordSink& sink);

/// Chrome trace JSON as PyTorch's profiler (Kineto) writes it, plain or gzip; one file a rank.
/// Memory does not grow with the file. Throws InputError like import_nsys.
TraceImport import_chrome(const std::vector<std::string>& paths, const TraceOptions& options,
                          const RecordSink& sink);

}  // namespace fanin::calibrate
