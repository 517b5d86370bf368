// From a finished run to a SimulationResult: what the steady exchange spent, used and showed.
#pragma once

#include <cstddef>
#include <vector>

#include "fanin/model/sim/stream.hpp"
#include "fanin/model/sim/usage.hpp"
#include "fanin/model/simulate.hpp"
#include "network.hpp"
#include "world.hpp"

namespace fanin::model {

/// Totals of every server at the starts of the last two exchanges; their difference is one
/// period's.
class UsageWindow {
 public:
  /// Exchange `round` starts now.
  void snapshot(int round, const Network& network, const std::vector<const sim::Server*>& servers);
  /// The same without NICs.
  void snapshot(const std::vector<const sim::Server*>& servers);
  std::vector<ResourceUse> uses(Picoseconds period) const;

 private:
  struct Totals {
    std::string resource;
    Picoseconds busy;
    Picoseconds waited;
    std::int64_t longest = 0;
  };
  static Totals totals(std::string resource, const sim::Usage& usage) {
    return {std::move(resource), usage.busy, usage.waited, usage.longest_queue};
  }
  std::vector<Totals> before_;
  std::vector<Totals> now_;
};

/// Everything but kernels.
SimulationResult collect_results(const World& world, const UsageWindow& usage);

/// Spans of the kernels of one exchange; zero = the start of `anchor`'s first kernel in it.
class KernelTable {
 public:
  KernelTable(int round, const sim::Stream& anchor, SimulationResult& result);

  /// `names` and `grids` have one entry for each kernel of the stream's sequence. A kernel that
  /// still ran when the run ended is taken from the exchange before, one period later.
  void add(const sim::Stream& stream, int device, const char* role, const char* const* names,
           const int* grids) const;

 private:
  std::size_t round_;
  Picoseconds zero_;
  SimulationResult* result_;
};

}  // namespace fanin::model
