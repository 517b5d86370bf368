#include "record_flags.hpp"

#include <filesystem>

#include "fanin/calibrate/where.hpp"
#include "fanin/hw/error.hpp"

namespace fanin::experiments {

std::string default_records() {
  const std::string relative = "experiments/recorded/seed/latency.jsonl";
  if (std::filesystem::exists(relative)) return relative;
  return std::string(FANIN_SOURCE_DIR) + "/" + relative;
}

void RecordFlags::add_to(CLI::App& verb) {
  verb.add_option("--records", files,
                  "Files of measurements, one JSON object a line "
                  "(default: experiments/recorded/seed/latency.jsonl)")
      ->type_name("FILE");
  verb.add_option("--where", where,
                  "Only rows with these field values, as 'set=a|b,tokens>=8,protocol!=symmetric': "
                  "a comma means and, | one of; operators = != < <= > >=")
      ->type_name("CLAUSES");
}

calibrate::RecordSet RecordFlags::read() const {
  const calibrate::Where selection = calibrate::Where::parse(where);
  calibrate::RecordSet all =
      calibrate::read_records(files.empty() ? std::vector<std::string>{default_records()} : files);
  const std::size_t total = all.records.size();
  all.records = selection.select(all.records);
  if (all.records.empty()) {
    throw InputError(where.empty() ? "--records" : "--where '" + where + "'",
                     "selects none of " + std::to_string(total) + " latency records",
                     "at least one row");
  }
  return all;
}

}  // namespace fanin::experiments
