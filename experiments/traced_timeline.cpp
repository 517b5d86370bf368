#include "traced_timeline.hpp"

#include <algorithm>
#include <map>
#include <set>

#include "fanin/hw/error.hpp"

namespace fanin::experiments {

namespace {

/// Our kernels under the names that the recorded timelines give them.
struct KernelPlace {
  const char* own;
  const char* role;
  int launch_index;
  const char* recorded;
};
constexpr KernelPlace kPlaces[] = {
    {"ffn_dispatch", "ffn", 0, "hybrid_dispatch"},
    {"ffn_copy", "ffn", 1, "dispatch_copy_epilogue"},
    {"ffn_combine", "ffn", 2, "hybrid_combine"},
    {"ffn_complete", "ffn", 3, "afdep_ffn_complete"},
    {"attention_dispatch", "attention", 0, "hybrid_dispatch"},
    {"attention_finalize", "attention", 1, "afdep_source_finalize"},
    {"attention_collect", "attention", 2, "afdep_hybrid_collect_impl"},
    {"attention_reduce", "attention", 3, "combine_reduce_epilogue"},
};

using Launches = std::vector<calibrate::TracedKernel>;

double median(std::vector<double> values) {
  const auto half = values.begin() + static_cast<std::ptrdiff_t>(values.size() / 2);
  std::nth_element(values.begin(), half, values.end());
  return *half;
}

double us(std::uint64_t ns, std::uint64_t zero) {
  return (static_cast<double>(ns) - static_cast<double>(zero)) * 1e-3;
}

/// Launches of one kernel by rank: each rank has a stream of its own, made in the order of the
/// ranks.
std::vector<Launches> by_rank(const calibrate::KernelTrace& trace, const char* kernel,
                              std::size_t ranks) {
  std::map<std::uint32_t, Launches> streams;
  for (const calibrate::TracedKernel& launch : trace.kernels) {
    if (launch.name == kernel) streams[launch.stream].push_back(launch);
  }
  if (streams.size() != ranks) {
    throw InputError("trace",
                     std::string(kernel) + " ran on " + std::to_string(streams.size()) + " streams",
                     std::to_string(ranks) + ", one a rank");
  }
  std::vector<Launches> out;
  for (auto& [stream, launches] : streams) out.push_back(std::move(launches));
  return out;
}

}  // namespace

MeasuredTimeline measured_timeline(const calibrate::KernelTrace& trace,
                                   const kernels::RunConfig& config) {
  const auto wanted =
      static_cast<std::size_t>(config.graph_exchanges) * static_cast<std::size_t>(config.replays);
  const auto tail = [&](const Launches& launches, const char* kernel) {
    if (launches.size() < wanted) {
      throw InputError("trace",
                       std::to_string(launches.size()) + " records of " + kernel + ", " +
                           std::to_string(trace.dropped) + " dropped",
                       "at least " + std::to_string(wanted));
    }
    return Launches(launches.end() - static_cast<std::ptrdiff_t>(wanted), launches.end());
  };
  const auto attention = static_cast<std::size_t>(config.shape.attention_ranks());
  const Launches anchor =
      tail(by_rank(trace, "attention_dispatch", attention).front(), "attention_dispatch");
  MeasuredTimeline out;
  out.exchanges = static_cast<int>(wanted);
  std::vector<double> periods;
  for (std::size_t i = 1; i < anchor.size(); ++i)
    periods.push_back(us(anchor[i].start_ns, anchor[i - 1].start_ns));
  out.period_us = periods.empty() ? 0.0 : median(periods);
  for (const KernelPlace& place : kPlaces) {
    const bool ffn = std::string(place.role) == "ffn";
    const auto ranks = by_rank(trace, place.own,
                               ffn ? static_cast<std::size_t>(config.shape.ffn_ranks) : attention);
    for (std::size_t r = 0; r < ranks.size(); ++r) {
      const Launches launches = tail(ranks[r], place.own);
      std::vector<double> starts;
      std::vector<double> ends;
      for (std::size_t i = 0; i < wanted; ++i) {
        starts.push_back(us(launches[i].start_ns, anchor[i].start_ns));
        ends.push_back(us(launches[i].end_ns, anchor[i].start_ns));
      }
      const int device = static_cast<int>(r) + (ffn ? 0 : config.shape.ffn_ranks);
      out.spans.push_back({device, place.role, place.launch_index, place.recorded, median(starts),
                           median(ends), launches.front().grid, launches.front().threads});
    }
  }
  std::stable_sort(
      out.spans.begin(), out.spans.end(), [](const MeasuredSpan& a, const MeasuredSpan& b) {
        return std::pair(a.device, a.launch_index) < std::pair(b.device, b.launch_index);
      });
  return out;
}

Json to_json(const MeasuredTimeline& timeline) {
  Json spans = Json::array();
  for (const MeasuredSpan& span : timeline.spans) {
    spans.push_back({{"device", span.device},
                     {"role", span.role},
                     {"launch_index", span.launch_index},
                     {"kernel", span.kernel},
                     {"start_us", span.start_us},
                     {"end_us", span.end_us},
                     {"duration_us", span.end_us - span.start_us},
                     {"grid", span.grid},
                     {"threads", span.threads}});
  }
  return {{"period_us", timeline.period_us}, {"exchanges", timeline.exchanges}, {"spans", spans}};
}

MeasuredTimeline timeline_from_json(const Json& json) {
  MeasuredTimeline out;
  out.period_us = json.at("period_us").get<double>();
  out.exchanges = json.at("exchanges").get<int>();
  for (const Json& span : json.at("spans")) {
    out.spans.push_back({span.at("device").get<int>(), span.at("role").get<std::string>(),
                         span.at("launch_index").get<int>(), span.at("kernel").get<std::string>(),
                         span.at("start_us").get<double>(), span.at("end_us").get<double>(),
                         span.at("grid").get<int>(), span.at("threads").get<int>()});
  }
  return out;
}

}  // namespace fanin::experiments
