#include "stamped_points.hpp"

#include <algorithm>
#include <cstdint>
#include <cstdio>
#include <map>
#include <optional>
#include <set>
#include <utility>

#include "table.hpp"

namespace fanin::experiments {
namespace {

/// Steps that both the kernels and the simulator have, under the simulator's names.
std::optional<std::string> step_of(const std::string& kernel, kernels::Point point) {
  using kernels::Point;
  const bool shared = (kernel == "attention_dispatch" &&
                       (point == Point::counts_posted || point == Point::finish_posted)) ||
                      (kernel == "ffn_dispatch" &&
                       (point == Point::counts_seen || point == Point::tail_seen ||
                        point == Point::row_forwarded || point == Point::channel_done)) ||
                      (kernel == "ffn_combine" &&
                       (point == Point::row_returned || point == Point::combine_finish_posted));
  return shared ? std::optional<std::string>(kernels::to_string(point)) : std::nullopt;
}

class Collector {
 public:
  explicit Collector(const kernels::Shape& shape) : shape_(shape) {}

  void add(const kernels::WarpStamps& warp) {
    const bool partly_lost = warp.stamps.size() >= static_cast<std::size_t>(kernels::kRingStamps);
    for (const kernels::Stamp& stamp : warp.stamps) {
      const auto step = step_of(warp.kernel, stamp.point);
      if (!step) continue;
      if (partly_lost) lost_.insert({warp.rank, *step});
      times_[{warp.rank, *step}].push_back(stamp.ns);
    }
  }

  void add(int source, const char* step, const std::vector<std::uint64_t>& times) {
    for (const std::uint64_t ns : times) {
      if (ns != 0) times_[{shape_.rank_of_source(source), step}].push_back(ns);
    }
  }

  std::vector<StampedPoint> points() {
    std::vector<StampedPoint> out;
    const auto anchor = times_.find({shape_.rank_of_source(0), "finish_posted"});
    if (anchor == times_.end()) return out;
    const std::uint64_t zero = *std::min_element(anchor->second.begin(), anchor->second.end());
    const auto us = [zero](std::uint64_t ns) {
      return static_cast<double>(static_cast<std::int64_t>(ns - zero)) * 1e-3;
    };
    for (auto& [key, times] : times_) {
      if (lost_.count(key) != 0) continue;
      std::sort(times.begin(), times.end());
      out.push_back({key.first, key.first < shape_.ffn_ranks ? "ffn" : "attention", key.second,
                     times.size(), us(times.front()), us(times[times.size() / 2]),
                     us(times.back())});
    }
    return out;
  }

 private:
  const kernels::Shape& shape_;
  std::map<std::pair<int, std::string>, std::vector<std::uint64_t>> times_;  // (rank, step)
  std::set<std::pair<int, std::string>> lost_;
};

}  // namespace

std::vector<StampedPoint> stamped_points(const kernels::RunResult& result,
                                         const kernels::Shape& shape) {
  Collector collector(shape);
  for (const kernels::WarpStamps& warp : result.stamps) collector.add(warp);
  for (std::size_t s = 0; s < result.matched_ns.size(); ++s)
    collector.add(static_cast<int>(s), "finish_matched", result.matched_ns[s]);
  for (std::size_t s = 0; s < result.served_ns.size(); ++s)
    collector.add(static_cast<int>(s), "finish_served", result.served_ns[s]);
  return collector.points();
}

Json to_json(const std::vector<StampedPoint>& points) {
  Json json = Json::array();
  for (const StampedPoint& point : points) {
    json.push_back({{"device", point.device},
                    {"role", point.role},
                    {"point", point.point},
                    {"events", point.events},
                    {"first_us", point.first_us},
                    {"median_us", point.median_us},
                    {"last_us", point.last_us}});
  }
  return json;
}

void print(const std::vector<StampedPoint>& points) {
  Table table({"device", "role", "point", "events", "first_us", "median_us", "last_us"}, "rll");
  for (const StampedPoint& point : points) {
    table.row({std::to_string(point.device), point.role, point.point, std::to_string(point.events),
               fixed(point.first_us, 2), fixed(point.median_us, 2), fixed(point.last_us, 2)});
  }
  std::puts("Stamped points of the last exchange; zero = the first source's first finish posted");
  table.print();
}

}  // namespace fanin::experiments
