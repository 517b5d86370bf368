// Tables of comma-separated values (RFC 4180: quoted cells may hold separators, quotes and line
// ends) to records and back.
#pragma once

#include <string>
#include <vector>

#include "fanin/calibrate/import.hpp"

namespace fanin::calibrate {

struct CsvOptions {
  /// Record field → column: {"tokens", "ntok"}. "a+b" adds columns up, "a|b" makes a list of them.
  /// Columns with a known field's name need no entry; other columns are kept as fields of their
  /// own.
  std::vector<std::pair<std::string, std::string>> map;
  StatedFields set;
  char separator = ',';
};

/// Every row becomes a record. A header may state a time's unit ("latency_ms", "latency (ms)",
/// "latency [ns]"); times are converted to microseconds, without a unit they are taken to be in
/// microseconds already. Rows without `id` get "STEM:LINE", without `set` the file's stem. Where no
/// column is median_us it is the median of repeats_us, else the sum of two columns "dispatch" and
/// "combine" with a unit of time (a note says so). Empty cells are absent fields.
/// Throws InputError with file:line for unequal rows, bad numbers and everything that parse_record
/// refuses; for mapped columns that are not there; and when nothing gives median_us, naming the
/// columns.
ImportReport import_csv(const std::string& path, const CsvOptions& options, const RecordSink& sink);

/// One column for each field that any record's line states, in order of first sight; lists as
/// "a;b". Reading the result with import_csv gives the same fields.
std::string to_csv(const std::vector<Record>& records);

}  // namespace fanin::calibrate
