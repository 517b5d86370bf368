#include "fanin/model/sim/trail.hpp"

#include <algorithm>

namespace fanin::sim {

std::vector<TrailShare> Trail::shares(Cause last, Picoseconds from) const {
  std::vector<TrailShare> backwards;
  const auto take = [&](ResourceId resource, Picoseconds begin, Picoseconds end) {
    begin = std::max(begin, from);
    if (end > begin) backwards.push_back({resource, end - begin});
  };
  for (Cause cause = last; cause != kNoCause && entries_[cause].end > from;
       cause = entries_[cause].cause) {
    const TrailEntry& entry = entries_[cause];
    const Picoseconds before = entry.cause == kNoCause ? from : entries_[entry.cause].end;
    take(entry.resource, entry.begin, entry.end);
    take(entry.before, before, entry.begin);
  }
  std::vector<TrailShare> shares;
  for (auto piece = backwards.rbegin(); piece != backwards.rend(); ++piece) {
    const auto same = std::find_if(shares.begin(), shares.end(), [&](const TrailShare& share) {
      return share.resource == piece->resource;
    });
    if (same == shares.end()) {
      shares.push_back(*piece);
    } else {
      same->time += piece->time;
    }
  }
  return shares;
}

}  // namespace fanin::sim
