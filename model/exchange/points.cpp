#include "points.hpp"

#include <algorithm>
#include <array>

#include "fanin/model/sim/simulator.hpp"

namespace fanin::model {

const char* to_string(Point point) {
  switch (point) {
    case Point::counts_posted: return "counts_posted";
    case Point::finish_posted: return "finish_posted";
    case Point::counts_seen: return "counts_seen";
    case Point::tail_seen: return "tail_seen";
    case Point::row_forwarded: return "row_forwarded";
    case Point::channel_done: return "channel_done";
    case Point::row_returned: return "row_returned";
    case Point::combine_finish_posted: return "combine_finish_posted";
    case Point::finish_served: return "finish_served";
    case Point::finish_matched: return "finish_matched";
  }
  return "unknown";
}

void PointLog::collect(int round, const Timeline& gpu, int device, const char* role,
                       Picoseconds zero, std::vector<PointTimes>& out) const {
  if (static_cast<std::size_t>(round) >= rounds_.size()) return;
  std::array<std::vector<Picoseconds>, kPoints> times;
  for (const Entry& entry : rounds_[static_cast<std::size_t>(round)]) {
    if (entry.gpu == &gpu) times[static_cast<std::size_t>(entry.point)].push_back(entry.at - zero);
  }
  for (std::size_t i = 0; i < kPoints; ++i) {
    std::vector<Picoseconds>& at = times[i];
    if (at.empty()) continue;
    std::sort(at.begin(), at.end());
    out.push_back({device, role, to_string(static_cast<Point>(i)),
                   static_cast<std::int64_t>(at.size()), at.front(), at[at.size() / 2], at.back()});
  }
}

Picoseconds PointLog::first(int round, Point point, const Timeline& gpu) const {
  Picoseconds first = sim::kNever;
  if (static_cast<std::size_t>(round) >= rounds_.size()) return first;
  for (const Entry& entry : rounds_[static_cast<std::size_t>(round)]) {
    if (entry.gpu == &gpu && entry.point == point) first = std::min(first, entry.at);
  }
  return first;
}

}  // namespace fanin::model
