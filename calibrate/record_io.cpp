#include <fstream>
#include <nlohmann/json.hpp>
#include <unordered_map>
#include <utility>

#include "fanin/calibrate/csv.hpp"
#include "fanin/calibrate/record.hpp"
#include "fanin/hw/atomic_file.hpp"
#include "fanin/hw/error.hpp"
#include "line_reader.hpp"
#include "record_bindings.hpp"
#include "record_line.hpp"

namespace fanin::calibrate {
namespace {

/// Where each id, and each line without id, was seen first.
class Seen {
 public:
  void add(const Record& record, const std::string& path, std::size_t line, bool named) {
    const auto [it, fresh] =
        places_.try_emplace(named ? record.id : record.json, Place{&path, line});
    if (fresh) return;
    const std::string where = path + ':' + std::to_string(line);
    const std::string first = *it->second.path + ':' + std::to_string(it->second.line);
    if (named) {
      throw InputError(where + ": id", "'" + record.id + "' occurs twice, first at " + first,
                       "ids that are unique");
    }
    throw InputError(where, "the same line as " + first, "each measurement once, or an id in each");
  }

 private:
  struct Place {
    const std::string* path;  ///< of the caller's list
    std::size_t line;
  };
  std::unordered_map<std::string, Place> places_;
};

nlohmann::ordered_json to_json(const FieldValue& value) {
  return std::visit([](const auto& held) { return nlohmann::ordered_json(held); }, value);
}

}  // namespace

RecordSet read_records(const std::vector<std::string>& paths) {
  RecordSet result;
  Seen seen;
  JsonLine scratch;
  for (const std::string& path : paths) {
    if (path.ends_with(".csv")) {
      std::size_t row = 1;
      const auto keep = [&](const Record& record) {
        seen.add(record, path, ++row, true);
        result.records.push_back(record);
      };
      for (const auto& [reason, count] : import_csv(path, {}, keep).skipped)
        result.skipped[reason] += count;
      continue;
    }
    LineReader reader(path);
    while (const std::optional<std::string_view> line = reader.next()) {
      const std::string where = reader.where();
      std::optional<Record> record = parse_record_line(*line, where, scratch);
      if (!record) {
        ++result.skipped["no median_us"];
        continue;
      }
      seen.add(*record, path, reader.line(), record->id != where);
      result.records.push_back(std::move(*record));
    }
  }
  return result;
}

std::string to_json_line(const Record& record) {
  if (!record.json.empty()) return record.json;
  // A record that the program made itself: every field that has a value, then the times.
  nlohmann::ordered_json line;
  for (const FieldBinding& binding : record_bindings()) {
    const std::string_view name = binding.spec.name;
    if (const auto value = record.field(name)) line[std::string(name)] = to_json(*value);
    if (name == "repeats_us" && !record.repeats_us.empty()) line["repeats_us"] = record.repeats_us;
  }
  return line.dump(-1, ' ', false, nlohmann::ordered_json::error_handler_t::replace);
}

void write_records(const std::vector<Record>& records, const std::string& path) {
  AtomicFile file(path);
  for (const Record& record : records) file.write(to_json_line(record) + '\n');
  file.commit();
}

}  // namespace fanin::calibrate
