// A grid of exchanges, simulated on all cores: one JSON line each, in the grid's order.
#pragma once

#include <atomic>
#include <deque>
#include <functional>
#include <map>
#include <string>
#include <vector>

#include "exchange_flags.hpp"

namespace fanin::experiments {

/// One of `count` ≥ 1 equal parts of a grid, numbered from 1; parts written one after another are
/// the whole.
struct Shard {
  std::size_t index = 1;
  std::size_t count = 1;

  /// "2/8". Throws InputError ("--shard: …").
  static Shard parse(const std::string& text);
  std::size_t begin(std::size_t points) const { return points * (index - 1) / count; }
  std::size_t end(std::size_t points) const { return points * index / count; }
};

struct SweepPoint {
  std::string
      key;  ///< the configuration as the line's first members, so that a line names its point
  model::Exchange exchange;
  std::size_t profile = 0;  ///< index in Sweep::profiles
};

class Sweep {
 public:
  /// Resolves every point of the grid. Throws the InputError of the first that cannot be simulated.
  Sweep(const std::vector<ExchangeSettings>& grid, const std::vector<std::string>& flags,
        Shard shard);

  std::size_t size() const { return points_.size(); }
  const SweepPoint& point(std::size_t i) const { return points_[i]; }

  /// Takes over lines that an earlier run wrote; lines of other grids, broken and cut off ones are
  /// left. How many were of use.
  std::size_t resume(const std::string& jsonl);

  /// Simulates what is missing on `threads` threads. `progress(done)` is called from this thread, a
  /// few times a second.
  void run(unsigned threads, const std::function<void(std::size_t done)>& progress);

  /// The finished lines in the grid's order, each with its newline. May be called while run()
  /// works.
  std::string lines() const;
  /// exchange_us of `point`, which need not be one of the grid's.
  double time_of(const SweepPoint& point) const;
  const hw::Profile& profile_of(const SweepPoint& point) const { return profiles_[point.profile]; }
  /// exchange_us of each point; NaN where not finished.
  std::vector<double> times() const;

 private:
  std::vector<SweepPoint> points_;
  std::vector<hw::Profile> profiles_;
  std::vector<std::string> lines_;
  std::deque<std::atomic<bool>> finished_;  // its line is there to read
};

}  // namespace fanin::experiments
