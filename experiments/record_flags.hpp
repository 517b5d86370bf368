// --records FILE… --where …: the rows that a verb works on. The same in every verb.
#pragma once

#include <CLI/CLI.hpp>
#include <string>
#include <vector>

#include "fanin/calibrate/record.hpp"

namespace fanin::experiments {

struct RecordFlags {
  std::vector<std::string> files;  ///< empty: the recorded latencies that come with the program
  std::string where;               ///< empty: every row
  std::vector<std::string> map;    ///< FIELD=COLUMN, of files that end in .csv
  std::string bandwidth;           ///< column of a .csv that holds GB/s in place of a time
  double megabytes = 1.0;          ///< that the time made from `bandwidth` is for
  bool placement = false;          ///< tell the simulator where the records say that actors sat

  void add_to(CLI::App& verb);

  /// Reads the files and keeps the rows that --where selects; `skipped` counts lines of the files.
  /// Files that end in .csv are imported first. Throws InputError for files that cannot be used,
  /// and when no row is left.
  calibrate::RecordSet read() const;
};

/// experiments/recorded/seed/latency.jsonl: below the current folder, else of the source tree.
std::string default_records();

}  // namespace fanin::experiments
