// A measurement of one exchange: its whole configuration, every repeat, the machine and the code.
// One JSON object a line; record.schema.json beside the sources says the same in JSON Schema.
#pragma once

#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <variant>
#include <vector>

#include "fanin/model/exchange.hpp"

namespace fanin::calibrate {

using FieldValue = std::variant<bool, double, std::string>;

struct Record {
  std::string id;   ///< unique in the repository, e.g. "R109"; "FILE:LINE" where the line has none
  std::string set;  ///< measurements taken together, e.g. "cross_node_sm_sweep_s3"
  std::string cluster;  ///< machine and emulator setting; names the profile that predicts the row
  std::string
      protocol;  ///< as recorded: role, role_shared_kernels, symmetric, symmetric_plugin_build
  model::Exchange exchange;        ///< the same configuration as the simulator takes it
  std::string routing = "random";  ///< as recorded; exchange.routing stays null until it is drawn
  /// Configuration fields without a default that the line does not state (such as "transport_sms");
  /// `exchange` holds a placeholder there, so check require_configuration() before predicting.
  std::vector<std::string> missing;
  double median_us = 0.0;          ///< > 0, finite
  std::vector<double> repeats_us;  ///< one per fresh process; empty when not known
  bool data_valid = true;          ///< false: a timing bound that did not deliver its data
  std::string json;                ///< the whole line as read, so that unknown fields survive

  /// Any field of the line by its JSON name, `sources` included; nullopt when absent, null, an
  /// array or an object. Fields with a default (hidden, top_k …) give the default when absent.
  std::optional<FieldValue> field(std::string_view name) const;

  /// Throws InputError (place: the id) that names everything in `missing`; does nothing when all is
  /// stated.
  void require_configuration() const;
};

struct RecordSet {
  std::vector<Record> records;
  /// Lines that are no latency records, by reason ("no median_us", …).
  std::map<std::string, std::size_t> skipped;
};

/// Reads JSONL files in the order given, and tables (names ending in .csv) as import_csv does with
/// its defaults; blank lines do not count. Throws InputError with file:line for malformed JSON,
/// wrong types, NaN, times ≤ 0 or in another unit (`median_ms`, or a value that no exchange can
/// take in microseconds), wrong ranges, a configuration that contradicts itself, ids that occur
/// twice and identical lines without id; and for an empty file, a directory or a file that cannot
/// be opened. Where the line does not state them, capacity is at least `tokens`, and ranks and
/// domain follow from `sources`.
RecordSet read_records(const std::vector<std::string>& paths);

/// One line; `where` ("file:line") is put before errors. nullopt: the line is no latency record
/// (it has no median_us).
std::optional<Record> parse_record(std::string_view line, const std::string& where);

/// The line to write: the fields of `json`, in their order.
std::string to_json_line(const Record& record);

/// Writes all records to a temporary file beside `path`, then renames it.
void write_records(const std::vector<Record>& records, const std::string& path);

}  // namespace fanin::calibrate
