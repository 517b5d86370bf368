// Why each thing happened when it did: every end of a wait or of a service, with what it followed.
#pragma once

#include <cstdint>
#include <vector>

#include "fanin/hw/units.hpp"
#include "fanin/model/sim/sink.hpp"

namespace fanin::sim {

/// Index of a resource's name in whatever list the model keeps.
using ResourceId = std::uint16_t;

/// From the end of its cause to `begin` the time went to `before` (a latency), from there to `end`
/// to `resource`. A service that waited for its server has the server's previous operation as
/// cause.
struct TrailEntry {
  Picoseconds begin;
  Picoseconds end;
  Cause cause = kNoCause;
  ResourceId resource = 0;
  ResourceId before = 0;
};

/// Time spent on one resource along a chain of causes.
struct TrailShare {
  ResourceId resource;
  Picoseconds time;
};

/// Off by default: then record() costs a branch and gives kNoCause.
class Trail {
 public:
  void enable() { enabled_ = true; }
  bool enabled() const { return enabled_; }

  Cause record(const TrailEntry& entry) {
    if (!enabled_) return kNoCause;
    entries_.push_back(entry);
    return static_cast<Cause>(entries_.size() - 1);
  }
  const TrailEntry& operator[](Cause cause) const { return entries_[cause]; }

  /// The chain of causes that ends in `last`, cut at `from`: shares by resource in path order of
  /// first use, summing to (end of `last`) − `from`. Time before the chain's first entry goes to
  /// that entry's `before`.
  std::vector<TrailShare> shares(Cause last, Picoseconds from) const;

 private:
  std::vector<TrailEntry> entries_;
  bool enabled_ = false;
};

}  // namespace fanin::sim
