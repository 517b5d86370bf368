#include "world.hpp"

#include <algorithm>

namespace fanin::model {

bool PeriodSearch::start(int round, Picoseconds now, sim::Cause cause) {
  const auto index = static_cast<std::size_t>(round);
  if (index >= rounds_.size()) rounds_.resize(index + 1);
  Round& started = rounds_[index];
  ++started.started;
  if (now >= started.latest) {
    started.latest = now;
    started.cause = cause;
  }
  if (started.started < ranks_ || index + 1 < rounds_.size() || index < 2) return false;
  const auto between = [&](std::size_t later, std::size_t earlier) {
    return rounds_[later].latest - rounds_[earlier].latest;
  };
  const bool steady = index >= 3 && between(index, index - 1) == between(index - 1, index - 2);
  if (!steady && round < limit_) return false;
  ended_ = true;
  const std::size_t from = steady ? index - 1 : index / 2;
  period_ = {between(index, from).count / static_cast<std::int64_t>(index - from)};
  return true;
}

std::vector<TraceEvent> TraceLog::window(Picoseconds begin, Picoseconds end) const {
  std::vector<TraceEvent> shown;
  for (TraceEvent event : events_) {
    if (event.start >= end || event.start + event.duration < begin) continue;
    event.start -= begin;
    shown.push_back(std::move(event));
  }
  return shown;
}

}  // namespace fanin::model
