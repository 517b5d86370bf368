#include <cmath>

#include "fanin/hw/atomic_file.hpp"
#include "fanin/hw/error.hpp"
#include "goals.hpp"

namespace fanin::experiments {
namespace {

double seconds_in(const std::string& unit) {
  if (unit == "ns") return 1e-9;
  if (unit == "us") return 1e-6;
  if (unit == "ms") return 1e-3;
  return 1.0;
}

/// Median of repetitions where the file has one, else the single run.
bool usable(const Json& entry, bool aggregates) {
  if (entry.value("error_occurred", false)) return false;
  return aggregates ? entry.value("aggregate_name", "") == "median"
                    : entry.value("run_type", "iteration") == "iteration";
}

void add(const Json& entry, Figures& figures) {
  std::string name = entry.contains("run_name") ? entry.at("run_name").get<std::string>()
                                                : entry.at("name").get<std::string>();
  if (entry.contains("items_per_second") && name.rfind("hold", 0) == 0) {
    figures[name] = 1e-6 * entry.at("items_per_second").get<double>();
  } else {
    figures[name] =
        entry.at("real_time").get<double>() * seconds_in(entry.value("time_unit", "ns"));
  }
}

}  // namespace

Figures speed_figures(const std::string& bench_file) {
  try {
    const Json json = Json::parse(read_file(bench_file));
    const Json& entries = json.at("benchmarks");
    bool aggregates = false;
    for (const Json& entry : entries) aggregates |= entry.value("aggregate_name", "") == "median";
    Figures figures;
    for (const Json& entry : entries) {
      if (usable(entry, aggregates)) add(entry, figures);
    }
    for (const char* size : {"16", "1024", "16384"}) {
      const auto hold = figures.find(std::string("hold/") + size);
      const auto floor = figures.find(std::string("hold_floor/") + size);
      if (hold != figures.end() && floor != figures.end() && floor->second > 0.0) {
        figures[std::string("hold_ratio/") + size] = hold->second / floor->second;
      }
    }
    return figures;
  } catch (const Json::exception& error) {
    throw InputError(bench_file, error.what(),
                     "JSON of Google Benchmark (--benchmark_format=json)");
  }
}

}  // namespace fanin::experiments
