// What every importer has in common: records go out one by one, and whatever was not turned into
// one is counted with a reason.
#pragma once

#include <cstddef>
#include <functional>
#include <map>
#include <string>
#include <utility>
#include <vector>

#include "fanin/calibrate/record.hpp"

namespace fanin::calibrate {

/// Takes each record as soon as it is complete.
using RecordSink = std::function<void(const Record&)>;

/// Fields that the user states for every row, by JSON name, as text: "24", "true", "hybrid". Known
/// fields take their own type; others become a number or true/false where they look like one.
using StatedFields = std::vector<std::pair<std::string, std::string>>;

struct ImportReport {
  std::size_t records = 0;
  std::map<std::string, std::size_t> skipped;  ///< what was left out, by reason
  /// Fields that a prediction needs (cluster among them) and that rows do not state, by rows.
  std::map<std::string, std::size_t> missing;
  std::vector<std::string> notes;  ///< what the importer found or assumed, one sentence each
};

}  // namespace fanin::calibrate
