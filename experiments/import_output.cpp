#include "import_output.hpp"

#include <cstdio>
#include <utility>

#include "fanin/calibrate/csv.hpp"

namespace fanin::experiments {

ImportOutput::ImportOutput(std::string path, bool json)
    : path_(std::move(path)), json_(json), table_(path_.ends_with(".csv")) {
  if (!path_.empty()) file_.emplace(path_);
}

calibrate::RecordSink ImportOutput::sink() {
  return [this](const calibrate::Record& record) { take(record); };
}

void ImportOutput::take(const calibrate::Record& record) {
  if (table_) {
    kept_.push_back(record);
  } else if (file_) {
    file_->write(calibrate::to_json_line(record) + "\n");
  } else if (json_) {
    rows_.push_back(Json::parse(calibrate::to_json_line(record)));
  } else {
    std::printf("%s\n", calibrate::to_json_line(record).c_str());
  }
}

void ImportOutput::finish(const calibrate::ImportReport& report, const std::string& source) {
  if (file_) {
    if (table_) file_->write(calibrate::to_csv(kept_));
    file_->commit();
  }
  if (json_) {
    Json summary = {{"source", source},
                    {"records", report.records},
                    {"out", file_ ? Json(path_) : Json(nullptr)}};
    summary["skipped"] = report.skipped;
    summary["missing"] = report.missing;
    summary["notes"] = report.notes;
    if (!file_) summary["rows"] = rows_;
    print_json(summary);
    return;
  }
  std::FILE* const out = file_ ? stdout : stderr;
  std::fprintf(out, "%s: %zu records%s%s\n", source.c_str(), report.records, file_ ? " -> " : "",
               path_.c_str());
  for (const auto& [reason, count] : report.skipped)
    std::fprintf(out, "  left out: %zu %s\n", count, reason.c_str());
  for (const auto& [field, count] : report.missing) {
    std::fprintf(out,
                 "  missing for predictions: %s in %zu records; state it with --set %s=VALUE\n",
                 field.c_str(), count, field.c_str());
  }
  for (const std::string& note : report.notes) std::fprintf(out, "  %s\n", note.c_str());
}

}  // namespace fanin::experiments
