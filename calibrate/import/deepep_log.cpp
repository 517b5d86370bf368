#include <algorithm>
#include <array>
#include <cmath>
#include <filesystem>
#include <map>
#include <utility>
#include <vector>

#include "../line_reader.hpp"
#include "fanin/calibrate/log_import.hpp"
#include "fanin/hw/error.hpp"
#include "log_text.hpp"

namespace fanin::calibrate {
namespace {

using Json = nlohmann::ordered_json;

constexpr std::size_t kMostRanks = 65536;
constexpr std::size_t kMostWaiting = 4096;

/// One timed operation of the V2 test: its row's label, and the fields for its two kernels.
struct Operation {
  std::string_view label;
  std::string_view kernel;
  std::string_view epilogue;
};

// The label stands after "| ", so that "dispatch:" is not found in "cached dispatch:".
constexpr std::array<Operation, 5> kOperations = {
    {{"| dispatch:", "dispatch_us", "copy_us"},
     {"| expanded dispatch:", "expanded_dispatch_us", "expanded_copy_us"},
     {"| cached dispatch:", "cached_dispatch_us", "cached_copy_us"},
     {"| combine:", "combine_us", "reduce_us"},
     {"| reduced combine:", "reduced_combine_us", "reduced_reduce_us"}}};

/// Follows a log line by line and writes a record whenever a case is complete.
class DeepEpLog {
 public:
  DeepEpLog(std::string stem, const StatedFields& set, const RecordSink& sink, ImportReport& report)
      : stem_(std::move(stem)), set_(set), report_(report), writer_(sink, report) {}

  void line(std::string_view text, const std::string& where, std::size_t number) {
    if (const auto channels = whole_after(text, "Elastic buffer uses")) {
      one_value_ = one_value_ && (channels_per_sm_ == 0 || channels_per_sm_ == *channels);
      channels_per_sm_ = *channels;
    } else if (const auto ranks = after(text, "> Ranks: ")) {
      start(where, number);
      domains_ = whole_after(*ranks, "").value_or(0);
      domain_gpus_ = whole_after(*ranks, " x ").value_or(0);
    } else if (const auto experts = after(text, "> Experts: ")) {
      number_field("top_k", whole_after(*experts, ""));
      number_field("experts", whole_after(*experts, "/"));
    } else if (const auto tokens = after(text, "> Tokens: ")) {
      // Ranks send a token less each; the largest is what buffers and busiest channels see.
      number_field("tokens", whole_after(*tokens, "(max:"));
      number_field("hidden", whole_after(*tokens, "hidden:"));
    } else if (const auto sms = after(text, "> #SM: ")) {
      number_field("transport_sms", whole_after(*sms, ""));
      number_field("queues", whole_after(*sms, "#QPs:"));
    } else if (const auto mode = after(text, "> Testing with ")) {
      new_case(*mode, where, number);
    } else if (!elastic_row(text) && !low_latency_row(text, where, number)) {
      ++others_;
    }
  }

  void finish() {
    end_case();
    end_round();
    for (auto& [row, where] : waiting_) {
      if (one_value_ && channels_per_sm_ > 0) {
        row["channels_per_sm"] = channels_per_sm_;
      } else {
        ++report_.missing["channels_per_sm"];
      }
      where_ = where;
      write(std::move(row));
    }
    if (others_ > 0) report_.skipped["lines that are no results"] = others_;
  }

 private:
  void start(const std::string& where, std::size_t number) {
    end_case();
    configuration_ = Json::object();
    mode_.clear();
    where_ = where;
    number_ = number;
  }

  void number_field(const char* name, std::optional<int> value) {
    if (value) configuration_[name] = *value;
  }

  void new_case(std::string_view mode, const std::string& where, std::size_t number) {
    // Every node prints the line of the same case.
    if (mode == mode_ && rows_.empty()) return;
    end_case();
    mode_ = mode;
    where_ = where;
    number_ = number;
  }

  bool elastic_row(std::string_view text) {
    const auto rank = whole_after(text, "EP: ");
    if (!rank || *rank < 0) return false;
    for (const Operation& operation : kOperations) {
      const auto rest = after(text, operation.label);
      if (!rest) continue;
      const std::size_t bar = rest->find('|');
      if (bar == std::string_view::npos) return false;
      const auto kernel = number_before(rest->substr(0, bar), " us");
      const auto epilogue = number_before(rest->substr(bar), " us");
      if (!kernel || !epilogue || rows_.size() >= kMostRanks) return false;
      // What was printed before the first row belongs to the case; later lines may be the next
      // one's.
      if (rows_.empty()) case_channels_ = channels_per_sm_;
      rows_[*rank][std::string(operation.kernel)] = *kernel;
      rows_[*rank][std::string(operation.epilogue)] = *epilogue;
      return true;
    }
    return false;
  }

  void end_case() {
    if (rows_.empty()) return;
    std::map<std::string, double> largest;
    double exchange = 0.0;
    bool whole = true;
    for (const auto& [rank, times] : rows_) {
      for (const auto& [name, value] : times) largest[name] = std::max(largest[name], value);
      double sum = 0.0;
      for (const char* part : {"dispatch_us", "copy_us", "combine_us", "reduce_us"}) {
        const auto it = times.find(part);
        whole = whole && it != times.end();
        if (it != times.end()) sum += it->second;
      }
      exchange = std::max(exchange, sum);
    }
    const std::size_t ranks = rows_.size();
    rows_.clear();
    if (!whole) {
      ++report_.skipped["cases without both dispatch and combine on every rank"];
      return;
    }
    Json row = named_row();
    row.update(configuration_);
    row["payload"] = mode_.find("use_fp8_dispatch=1") != std::string::npos ? "fp8" : "bf16";
    row["protocol"] = "symmetric";
    if (domains_ > 0 && domain_gpus_ > 0 && domains_ <= 65536 / domain_gpus_) {
      row["path"] = domains_ > 1 ? "hybrid" : "nvlink";
      row["ffn_ranks"] = domains_ * domain_gpus_;
      row["attention_ranks"] = domains_ * domain_gpus_;
      row["gpus_per_domain"] = domain_gpus_;
    }
    // The log has three decimals; a sum of doubles would show more.
    row["median_us"] = std::round(exchange * 1e3) / 1e3;
    for (const auto& [name, value] : largest) row[name] = value;
    row["ranks_in_log"] = ranks;
    row["mode"] = mode_;
    row["measured_by"] = "DeepEP test_ep";
    if (domains_ > 1 && case_channels_ > 0) row["channels_per_sm"] = case_channels_;
    if (domains_ > 1 && case_channels_ == 0 && waiting_.size() < kMostWaiting) {
      waiting_.emplace_back(std::move(row), where_);
      return;
    }
    write(std::move(row));
  }

  bool low_latency_row(std::string_view text, const std::string& where, std::size_t number) {
    const auto rank = whole_after(text, "[rank ");
    if (!rank || *rank < 0) return false;
    if (after(text, "Dispatch + combine bandwidth:")) {
      const auto time = number_after(text, "avg_t=");
      if (!time) return false;
      if (round_.contains(*rank)) end_round();
      if (round_.empty()) {
        where_ = where;
        number_ = number;
      }
      if (round_.size() < kMostRanks) round_[*rank] = *time;
      return true;
    }
    const auto combine = after(text, "Combine bandwidth:");
    const auto dispatch_us = number_after(text, "avg_t=");
    const auto combine_us = combine ? number_after(*combine, "avg_t=") : std::nullopt;
    if (!dispatch_us || !combine_us) return false;
    dispatch_us_ = std::max(dispatch_us_, *dispatch_us);
    combine_us_ = std::max(combine_us_, *combine_us);
    return true;
  }

  void end_round() {
    if (round_.empty()) return;
    Json row = named_row();
    row["protocol"] = "symmetric";
    row["path"] = "direct";
    double slowest = 0.0;
    for (const auto& [rank, time] : round_) slowest = std::max(slowest, time);
    row["ffn_ranks"] = round_.size();
    row["attention_ranks"] = round_.size();
    row["median_us"] = slowest;
    if (dispatch_us_ > 0.0) row["dispatch_us"] = dispatch_us_;
    if (combine_us_ > 0.0) row["combine_us"] = combine_us_;
    row["measured_by"] = "DeepEP test_low_latency";
    round_.clear();
    dispatch_us_ = combine_us_ = 0.0;
    write(std::move(row));
  }

  Json named_row() const { return {{"id", stem_ + ":" + std::to_string(number_)}, {"set", stem_}}; }

  void write(Json row) {
    put_stated(row, set_);
    writer_.write(row, where_);
  }

  std::string stem_;
  const StatedFields& set_;
  ImportReport& report_;
  RowWriter writer_;
  Json configuration_ = Json::object();
  int domains_ = 0;
  int domain_gpus_ = 0;
  int channels_per_sm_ = 0;  ///< as printed last
  int case_channels_ = 0;    ///< of the case whose rows are being read
  bool one_value_ = true;
  /// Cases before the first statement of the channels. Output of the C++ side of a process that
  /// writes to a file often comes only at its end.
  std::vector<std::pair<Json, std::string>> waiting_;
  std::string mode_;
  std::string where_;
  std::size_t number_ = 0;
  std::map<int, std::map<std::string, double>> rows_;  ///< of the case, by rank
  std::map<int, double> round_;                        ///< low latency, by rank
  double dispatch_us_ = 0.0;
  double combine_us_ = 0.0;
  std::size_t others_ = 0;
};

}  // namespace

ImportReport import_deepep_log(const std::string& path, const StatedFields& set,
                               const RecordSink& sink) {
  ImportReport report;
  DeepEpLog log(std::filesystem::path(path).stem().string(), set, sink, report);
  LineReader reader(path);
  while (const auto line = reader.next()) log.line(*line, reader.where(), reader.line());
  log.finish();
  if (report.records == 0) {
    throw InputError(path,
                     report.skipped.size() > 1 ? "no case has both a dispatch and a combine row"
                                               : "no result rows",
                     "output of DeepEP's test_ep.py or test_low_latency.py");
  }
  report.notes.emplace_back(
      "kernels are timed apart by the test, with a barrier between rounds: what lies between them "
      "is not in median_us");
  if (report.missing.contains("channels_per_sm")) {
    report.notes.emplace_back(
        "channels per SM are not in the log: run the test with EP_BUFFER_DEBUG=1, or state --set "
        "channels_per_sm=N");
  }
  return report;
}

}  // namespace fanin::calibrate
