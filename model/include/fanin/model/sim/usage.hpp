// What a server did: operations, busy time, and how long operations queued.
#pragma once

#include <algorithm>
#include <cstdint>

#include "fanin/hw/units.hpp"
#include "fanin/model/sim/ring.hpp"

namespace fanin::sim {

struct Usage {
  std::int64_t operations = 0;
  Picoseconds busy;    ///< sum of service times over all units
  Picoseconds waited;  ///< sum over operations of start − arrival; ÷ time = mean queue length
  std::int64_t longest_queue = 0;  ///< most operations waiting at once; only while `observe_queue`
  bool observe_queue = false;

  /// One operation, in order of arrival.
  void count(Picoseconds arrival, Picoseconds start, Picoseconds service) {
    ++operations;
    busy += service;
    waited += start - arrival;
    if (observe_queue) observe(arrival, start);
  }

 private:
  void observe(Picoseconds arrival, Picoseconds start) {
    while (!starts_.empty() && starts_.front() <= arrival) starts_.pop();
    if (start > arrival) {
      starts_.push(start);
      longest_queue = std::max(longest_queue, static_cast<std::int64_t>(starts_.size()));
    }
  }
  Ring<Picoseconds> starts_;  // of operations that may still wait
};

}  // namespace fanin::sim
