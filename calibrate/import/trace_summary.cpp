#include "trace_summary.hpp"

#include <algorithm>
#include <cmath>
#include <filesystem>
#include <optional>

#include "fanin/hw/error.hpp"
#include "row_builder.hpp"

namespace fanin::calibrate {
namespace {

using Json = nlohmann::ordered_json;
using Device = ExchangeFinder::Device;

double median(std::vector<double> values) {
  const std::size_t middle = values.size() / 2;
  std::sort(values.begin(), values.end());
  return values.size() % 2 == 1 ? values[middle] : 0.5 * (values[middle - 1] + values[middle]);
}

/// Three decimals: the nanoseconds of the trace.
double us(double ns) { return std::round(ns) / 1e3; }

struct DeviceSummary {
  const DeviceTrace* trace = nullptr;
  double period_ns = 0.0;
  std::string role;  ///< "ffn" or "attention"
};

std::string role_by_kernels(const DeviceTrace& trace) {
  for (const TracedExchange& exchange : trace.exchanges) {
    for (const ExchangeSpan& span : exchange.spans) {
      if (!span.kind->role.empty()) return span.kind->role;
    }
  }
  return {};
}

std::vector<const KernelKind*> kinds_of(const TracedExchange& exchange) {
  std::vector<const KernelKind*> kinds;
  for (const ExchangeSpan& span : exchange.spans) kinds.push_back(span.kind);
  return kinds;
}

class Summary {
 public:
  explicit Summary(const ExchangeFinder& finder, int ffn_ranks) {
    int index = 0;
    for (const auto& [device, trace] : finder.devices()) {
      DeviceSummary summary;
      summary.trace = &trace;
      std::vector<double> periods;
      for (const TracedExchange& exchange : trace.exchanges)
        periods.push_back(static_cast<double>(exchange.period_ns));
      summary.period_ns = median(periods);
      summary.role = role_by_kernels(trace);
      // As in recorded runs, the FFN's GPUs come first.
      if (summary.role.empty()) summary.role = index < ffn_ranks ? "ffn" : "attention";
      devices_.push_back(std::move(summary));
      ++index;
    }
  }

  const std::vector<DeviceSummary>& devices() const { return devices_; }

  /// The metric of recorded runs: the slowest Attention rank.
  double period_ns() const {
    double attention = 0.0;
    double any = 0.0;
    for (const DeviceSummary& device : devices_) {
      any = std::max(any, device.period_ns);
      if (device.role == "attention") attention = std::max(attention, device.period_ns);
    }
    return attention > 0.0 ? attention : any;
  }

  std::size_t anchor() const {
    const auto it = std::find_if(devices_.begin(), devices_.end(), [](const DeviceSummary& device) {
      return device.role == "attention";
    });
    return it == devices_.end() ? 0 : static_cast<std::size_t>(it - devices_.begin());
  }

  /// Rows of the timeline; adds what had to be left out to the report.
  std::vector<std::string> timeline(const Json& configuration, ImportReport& report) const {
    std::vector<std::string> rows;
    for (std::size_t i = 0; i < devices_.size(); ++i) add_device(i, configuration, rows, report);
    return rows;
  }

 private:
  /// Start of the anchor device's exchange that lies nearest, if it is the same exchange at all.
  std::optional<std::int64_t> zero_of(std::int64_t start_ns) const {
    const DeviceSummary& anchor = devices_[this->anchor()];
    std::optional<std::int64_t> best;
    for (const TracedExchange& exchange : anchor.trace->exchanges) {
      if (!best || std::abs(exchange.start_ns - start_ns) < std::abs(*best - start_ns))
        best = exchange.start_ns;
    }
    const bool same =
        best && std::abs(static_cast<double>(*best - start_ns)) < 0.5 * anchor.period_ns;
    return same ? best : std::nullopt;
  }

  void add_device(std::size_t index, const Json& configuration, std::vector<std::string>& rows,
                  ImportReport& report) const {
    const DeviceSummary& device = devices_[index];
    // The last exchange decides which kernels an exchange has; others that differ are left out.
    const std::vector<const KernelKind*> kinds = kinds_of(device.trace->exchanges.back());
    std::vector<std::vector<double>> starts(kinds.size());
    std::vector<std::vector<double>> ends(kinds.size());
    std::vector<std::vector<double>> durations(kinds.size());
    for (const TracedExchange& exchange : device.trace->exchanges) {
      const auto zero = zero_of(exchange.start_ns);
      if (kinds_of(exchange) != kinds || !zero) {
        ++report
              .skipped[zero ? "exchanges with other kernels, in the timeline"
                            : "exchanges without a partner on the anchor device, in the timeline"];
        continue;
      }
      for (std::size_t k = 0; k < kinds.size(); ++k) {
        const ExchangeSpan& span = exchange.spans[k];
        starts[k].push_back(static_cast<double>(span.start_ns - *zero));
        ends[k].push_back(static_cast<double>(span.end_ns - *zero));
        durations[k].push_back(static_cast<double>(span.end_ns - span.start_ns));
      }
    }
    if (starts.front().empty()) return;
    for (std::size_t k = 0; k < kinds.size(); ++k) {
      const ExchangeSpan& last = device.trace->exchanges.back().spans[k];
      Json row = configuration;
      row["period_us"] = us(period_ns());
      row["anchor_device"] = anchor();
      row["device"] = index;
      row["role"] = device.role;
      row["launch_index"] = k;
      row["kernel"] = kinds[k]->label;
      if (last.grid > 0) row["grid"] = last.grid;
      if (last.threads > 0) row["threads"] = last.threads;
      row["start_us"] = us(median(starts[k]));
      row["end_us"] = us(std::max(median(starts[k]), median(ends[k])));
      row["duration_us"] = us(median(durations[k]));
      // Names come from files that need not be UTF-8.
      rows.push_back(row.dump(-1, ' ', false, Json::error_handler_t::replace));
    }
  }

  std::vector<DeviceSummary> devices_;
};

/// Longest of the devices' median times of each kernel, by label.
Json kernel_times(const Summary& summary) {
  std::map<std::string, double> longest;
  for (const DeviceSummary& device : summary.devices()) {
    std::map<std::string, std::vector<double>> times;
    for (const TracedExchange& exchange : device.trace->exchanges) {
      for (const ExchangeSpan& span : exchange.spans) {
        times[span.kind->label].push_back(static_cast<double>(span.end_ns - span.start_ns));
      }
    }
    for (auto& [label, values] : times)
      longest[label] = std::max(longest[label], median(std::move(values)));
  }
  Json json = Json::object();
  for (const auto& [label, value] : longest) json[label] = us(value);
  return json;
}

[[noreturn]] void no_exchange(const ExchangeFinder& finder, const KernelTable& table,
                              const std::string& path) {
  const std::string unknown = finder.unknown_kernels();
  throw InputError(
      path,
      "no two exchanges on one device" +
          (unknown.empty() ? "" : "; kernels that no row names: " + unknown),
      "kernels named like one of " + table.anchors() + ", or --anchor NAME, or --kernels FILE");
}

}  // namespace

TraceImport summarise(const ExchangeFinder& finder, const KernelTable& table,
                      const std::vector<std::string>& paths, const std::string& source,
                      const TraceOptions& options, const RecordSink& sink) {
  if (finder.devices().empty()) no_exchange(finder, table, paths.front());
  Json stated = Json::object();
  for (const auto& [field, text] : options.set) stated[field] = typed_value(field, text, "--set");
  const Json* ffn_ranks = stated.contains("ffn_ranks") ? &stated["ffn_ranks"] : nullptr;
  const double ffn =
      ffn_ranks != nullptr && ffn_ranks->is_number() ? ffn_ranks->get<double>() : 0.0;
  const Summary summary(finder, ffn >= 0.0 && ffn < 1e6 ? static_cast<int>(ffn) : 0);

  const std::string stem = std::filesystem::path(paths.front()).stem().string();
  Json row = {{"id", stem}, {"set", stem}};
  row.update(stated);
  row["median_us"] = us(summary.period_ns());
  row["traced_by"] = source;
  std::size_t used = 0;
  std::size_t total = 0;
  for (const DeviceSummary& device : summary.devices()) {
    used = std::max(used, device.trace->exchanges.size());
    total = std::max(total, device.trace->total);
  }
  row["exchanges_found"] = total;
  row["exchanges_used"] = used;
  row["devices"] = summary.devices().size();
  row["kernels_us"] = kernel_times(summary);

  TraceImport result;
  result.report.skipped = finder.skipped();
  RowWriter(sink, result.report).write(row, paths.front());
  result.report.notes.push_back(
      "median of the last " + std::to_string(used) + " of " + std::to_string(total) +
      " exchanges, the slowest Attention device of " + std::to_string(summary.devices().size()) +
      " devices; taken under a profiler, which adds a few percent to short exchanges");
  const std::string unknown = finder.unknown_kernels();
  if (!unknown.empty())
    result.report.notes.push_back("kernels that no row of the table names: " + unknown);
  Json configuration = {{"trace", row["id"]}};
  configuration.update(stated);
  configuration["trace"] = row["id"];
  result.timeline = summary.timeline(configuration, result.report);
  return result;
}

}  // namespace fanin::calibrate
