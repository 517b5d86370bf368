#include <filesystem>
#include <sstream>

#include "../line_reader.hpp"
#include "fanin/calibrate/log_import.hpp"
#include "fanin/hw/error.hpp"
#include "log_text.hpp"

namespace fanin::calibrate {
namespace {

using Json = nlohmann::ordered_json;

class NcclLog {
 public:
  NcclLog(std::string stem, const StatedFields& set, const RecordSink& sink, ImportReport& report)
      : stem_(std::move(stem)), set_(set), report_(report), writer_(sink, report) {}

  void line(std::string_view text, const std::string& where, std::size_t number) {
    if (after(text, "=== NCCL EP Performance Benchmark")) {
      configuration_ = Json::object();
      in_summary_ = false;
    } else if (after(text, "=== Summary")) {
      in_summary_ = true;
    } else if (text.starts_with("#")) {
      comment(text);
    } else if (!setting(text) && !summary(text, where, number) && !table_row(text, where, number)) {
      ++others_;
    }
  }

  void finish() {
    if (others_ > 0) report_.skipped["lines that are no results"] = others_;
  }

 private:
  bool setting(std::string_view text) {
    if (!text.starts_with("  ") || in_summary_) return false;
    const auto whole = [&](const char* key, const char* field) {
      const auto value = whole_after(text, key);
      if (value) configuration_[field] = *value;
      return value.has_value();
    };
    if (whole("  Ranks:", "ffn_ranks")) {
      configuration_["attention_ranks"] = configuration_["ffn_ranks"];
      return true;
    }
    if (whole("  Tokens:", "tokens") || whole("  Hidden:", "hidden") ||
        whole("  Top-k:", "top_k") || whole("  Experts:", "experts"))
      return true;
    if (const auto dtype = after(text, "  Dispatch dtype:")) {
      configuration_["payload"] = after(*dtype, "FP8") ? "fp8" : "bf16";
      return true;
    }
    if (const auto algorithm = after(text, "  Algorithm:")) {
      // Low latency sends to every destination GPU itself, high throughput over rails.
      configuration_["path"] = after(*algorithm, "LOW_LATENCY") ? "direct" : "hybrid";
      return true;
    }
    return false;
  }

  bool summary(std::string_view text, const std::string& where, std::size_t number) {
    if (!in_summary_) return false;
    const auto average = number_after(text, "avg=");
    if (!average || !after(text, " us")) return false;
    if (text.starts_with("Dispatch")) {
      configuration_["dispatch_us"] = *average;
    } else if (text.starts_with("Combine")) {
      configuration_["combine_us"] = *average;
    } else if (text.starts_with("Total (D+C):")) {
      Json row = configuration_;
      row["protocol"] = "symmetric";
      row["median_us"] = *average;
      row["measured_by"] = "nccl ep_bench, mean over iterations and ranks";
      write(row, where, number);
    } else {
      return false;
    }
    return true;
  }

  /// "# nThread 1 nGpus 8 …", and the heading that names the columns.
  void comment(std::string_view text) {
    if (after(text, "size") && after(text, "algbw") && after(text, "time")) {
      table_ = true;
      redop_ = after(text, "redop").has_value();
    }
  }

  /// size, count, type, [redop, root,] time, algbw, busbw, #wrong; then the same in place.
  bool table_row(std::string_view text, const std::string& where, std::size_t number) {
    if (!table_) return false;
    std::istringstream words{std::string(text.substr(0, 400))};
    double size = 0.0;
    double count = 0.0;
    std::string type;
    std::string skip;
    double time = 0.0;
    double algorithm_rate = 0.0;
    double bus_rate = 0.0;
    if (!(words >> size >> count >> type)) return false;
    if (redop_ && !(words >> skip >> skip)) return false;
    if (!(words >> time >> algorithm_rate >> bus_rate) || size < 0.0 || count < 0.0) return false;
    Json row = {{"median_us", time},
                {"size_bytes", size},
                {"count", count},
                {"type", type},
                {"algbw_GBps", algorithm_rate},
                {"busbw_GBps", bus_rate},
                {"measured_by", "nccl-tests, mean over iterations, out of place"}};
    // Empty transfers take no time that counts.
    if (size == 0.0) {
      ++report_.skipped["rows of zero bytes"];
    } else {
      write(row, where, number);
    }
    return true;
  }

  void write(const Json& content, const std::string& where, std::size_t number) {
    Json row = {{"id", stem_ + ":" + std::to_string(number)}, {"set", stem_}};
    row.update(content);
    put_stated(row, set_);
    writer_.write(row, where);
  }

  std::string stem_;
  const StatedFields& set_;
  ImportReport& report_;
  RowWriter writer_;
  Json configuration_ = Json::object();
  bool in_summary_ = false;
  bool table_ = false;
  bool redop_ = false;
  std::size_t others_ = 0;
};

}  // namespace

ImportReport import_nccl_log(const std::string& path, const StatedFields& set,
                             const RecordSink& sink) {
  ImportReport report;
  NcclLog log(std::filesystem::path(path).stem().string(), set, sink, report);
  LineReader reader(path);
  while (const auto line = reader.next()) log.line(*line, reader.where(), reader.line());
  log.finish();
  if (report.records == 0)
    throw InputError(path, "no result rows", "output of NCCL's ep_bench or of nccl-tests");
  return report;
}

}  // namespace fanin::calibrate
