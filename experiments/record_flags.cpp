#include "record_flags.hpp"

#include <filesystem>

#include "fanin/calibrate/csv.hpp"
#include "fanin/calibrate/placement.hpp"
#include "fanin/calibrate/where.hpp"
#include "fanin/hw/error.hpp"
#include "output.hpp"

namespace fanin::experiments {

namespace {

/// The record with the time that `megabytes` take at the bandwidth which stood in for it.
calibrate::Record timed(const calibrate::Record& record, double megabytes) {
  Json json = Json::parse(record.json);
  json["median_us"] = 1e3 * megabytes / record.median_us;
  return *calibrate::parse_record(json.dump(), record.id);
}

void read_csv(const std::string& path, const RecordFlags& flags, calibrate::RecordSet& into) {
  calibrate::CsvOptions options;
  for (const std::string& text : flags.map) {
    const std::size_t equals = text.find('=');
    if (equals == 0 || equals == std::string::npos || equals + 1 == text.size()) {
      throw InputError("--map", "'" + text + "'", "FIELD=COLUMN");
    }
    options.map.emplace_back(text.substr(0, equals), text.substr(equals + 1));
  }
  if (!flags.bandwidth.empty()) options.map.emplace_back("median_us", flags.bandwidth);
  const auto take = [&](const calibrate::Record& record) {
    into.records.push_back(flags.bandwidth.empty() ? record : timed(record, flags.megabytes));
  };
  calibrate::ImportReport report;
  try {
    report = calibrate::import_csv(path, options, take);
  } catch (const InputError& error) {
    if (error.problem().find("rates") == std::string::npos) throw;
    throw InputError(error.where(), error.problem(),
                     error.expected() + "; or --bandwidth COLUMN for the time of --megabytes");
  }
  for (const auto& [reason, count] : report.skipped) into.skipped[reason] += count;
}

}  // namespace

std::string default_records() {
  std::string relative = "experiments/recorded/seed/latency.jsonl";
  if (std::filesystem::exists(relative)) return relative;
  return std::string(FANIN_SOURCE_DIR) + "/" + relative;
}

void RecordFlags::add_to(CLI::App& verb) {
  verb.add_option("--records", files,
                  "Files of measurements, one JSON object a line, or tables that end in .csv "
                  "(default: experiments/recorded/seed/latency.jsonl)")
      ->type_name("FILE");
  verb.add_option("--where", where,
                  "Only rows with these field values, as 'set=a|b,tokens>=8,protocol!=symmetric': "
                  "a comma means and, | one of; operators = != < <= > >=")
      ->type_name("CLAUSES");
  verb.add_option("--map", map,
                  "Of a .csv: which column holds a field, as tokens=ntok; columns joined by + are "
                  "added up (without it: columns named like fields, and dispatch + combine)")
      ->type_name("FIELD=COLUMN");
  verb.add_option(
          "--bandwidth", bandwidth,
          "Of a .csv that has no time: the column with GB/s; the time of --megabytes is used")
      ->type_name("COLUMN");
  verb.add_option("--megabytes", megabytes, "Data that --bandwidth is turned into a time for")
      ->check(CLI::PositiveNumber)
      ->capture_default_str();
  verb.add_flag("--placement", placement,
                "Predict rows of one GPU with what their `placement` says that ranks share (SMs, "
                "waves, grids of epilogues, memory); without it each rank has a GPU of its own");
}

calibrate::RecordSet RecordFlags::read() const {
  const calibrate::Where selection = calibrate::Where::parse(where);
  std::vector<std::string> lines;
  calibrate::RecordSet all;
  for (const std::string& file : files) {
    if (file.ends_with(".csv")) {
      read_csv(file, *this, all);
    } else {
      lines.push_back(file);
    }
  }
  if (files.empty()) lines.push_back(default_records());
  if (!lines.empty()) {
    calibrate::RecordSet read = calibrate::read_records(lines);
    all.records.insert(all.records.end(), read.records.begin(), read.records.end());
    for (const auto& [reason, count] : read.skipped) all.skipped[reason] += count;
  }
  const std::size_t total = all.records.size();
  all.records = selection.select(all.records);
  if (all.records.empty()) {
    throw InputError(where.empty() ? "--records" : "--where '" + where + "'",
                     "selects none of " + std::to_string(total) + " latency records",
                     "at least one row");
  }
  if (placement) {
    for (calibrate::Record& record : all.records) {
      if (record.missing.empty())
        calibrate::take_placement(record.exchange, record.json, record.id);
    }
  }
  return all;
}

}  // namespace fanin::experiments
