// When the protocol's steps happened: the simulated side of what in-kernel stamps measure.
#pragma once

#include <cstddef>
#include <vector>

#include "fanin/model/simulate.hpp"

namespace fanin::model {

struct Timeline;

enum class Point {
  counts_posted,
  finish_posted,
  counts_seen,
  tail_seen,
  row_forwarded,
  channel_done,
  row_returned,
  combine_finish_posted,
  finish_served,
  finish_matched,
};
inline constexpr std::size_t kPoints = 10;

/// Names of SimulationResult::points.
const char* to_string(Point point);

/// Keeps every step of every exchange; costs a branch while it is off.
class PointLog {
 public:
  explicit PointLog(bool enabled) : enabled_(enabled) {}
  bool enabled() const { return enabled_; }

  /// `gpu` passed `point` of exchange `round` at `at`, which may lie ahead of the clock.
  void add(int round, Point point, const Timeline& gpu, Picoseconds at) {
    if (!enabled_) return;
    const auto index = static_cast<std::size_t>(round);
    if (index >= rounds_.size()) rounds_.resize(index + 1);
    rounds_[index].push_back({&gpu, point, at});
  }

  /// One GPU's points in exchange `round`, appended to `out` as `device` of `role`; times count
  /// from `zero`.
  void collect(int round, const Timeline& gpu, int device, const char* role, Picoseconds zero,
               std::vector<PointTimes>& out) const;

  /// The earliest `point` of `gpu` in exchange `round`; kNever without one.
  Picoseconds first(int round, Point point, const Timeline& gpu) const;

 private:
  struct Entry {
    const Timeline* gpu;
    Point point;
    Picoseconds at;
  };
  bool enabled_;
  std::vector<std::vector<Entry>> rounds_;
};

}  // namespace fanin::model
