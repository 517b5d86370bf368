// Where imported records go: a file, or stdout; and the summary of what was left out.
#pragma once

#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "fanin/calibrate/import.hpp"
#include "fanin/hw/atomic_file.hpp"
#include "output.hpp"

namespace fanin::experiments {

class ImportOutput {
 public:
  /// `path` empty: stdout, as JSONL, or inside the summary with `json`. A path that ends in .csv
  /// gets a table, everything else JSONL.
  ImportOutput(std::string path, bool json);

  calibrate::RecordSink sink();

  /// Puts the file in place, then prints the summary: on stdout as one object with `json`, else on
  /// stderr when the records are on stdout. `source` names what was imported.
  void finish(const calibrate::ImportReport& report, const std::string& source);

 private:
  void take(const calibrate::Record& record);

  std::string path_;
  bool json_;
  bool table_;
  std::optional<AtomicFile> file_;
  std::vector<calibrate::Record> kept_;  ///< only for a table, whose columns depend on all rows
  Json rows_ = Json::array();            ///< only with json and without a file
};

}  // namespace fanin::experiments
