// The numbers that must hold: the only place where they stand in code.
#pragma once

#include <string_view>

namespace fanin::experiments {

struct Goal {
  std::string_view key;   ///< of the figure that measures it
  std::string_view what;  ///< as a line of the table
  std::string_view unit;
  double limit;
  bool at_most;  ///< false: at least
};

/// Accuracy first, then speed.
inline constexpr Goal kGoals[] = {
    {"laws.fitted", "laws: the 14 T=1 rows, all fitted, worst row", "%", 1.6, true},
    {"laws.s3", "laws: the 14 T=1 rows, S=3 held out, worst row", "%", 2.45, true},
    {"sim.fitted", "simulator, profile of all rows: the 14 T=1 rows, worst row", "%", 2.0, true},
    {"sim.alone.fitted", "simulator, the 14 T=1 rows alone, all fitted (as the laws), worst row",
     "%", 2.0, true},
    {"sim.s3", "simulator, all rows but S=3 fitted: S=3 at T=1, worst row", "%", 2.4, true},
    {"sim.alone.s3", "simulator, the 14 T=1 rows alone, S=3 held out (as the laws), worst row", "%",
     2.4, true},
    {"h100-4x-cx7-ndr400.median", "h100-4x-cx7-ndr400, every valid row, median", "%", 1.5, true},
    {"h100-4x-cx7-ndr400.p90", "h100-4x-cx7-ndr400, every valid row, 90th percentile", "%", 3.5,
     true},
    {"h100-4x-cx7-ndr400.max", "h100-4x-cx7-ndr400, every valid row, worst", "%", 6.0, true},
    {"h200-nvlink-domain.median", "h200-nvlink-domain, every valid row, median", "%", 1.5, true},
    {"h200-nvlink-domain.p90", "h200-nvlink-domain, every valid row, 90th percentile", "%", 3.5,
     true},
    {"h200-nvlink-domain.max", "h200-nvlink-domain, every valid row, worst", "%", 6.0, true},
    {"kernels.us",
     "kernel start and end in the recorded timelines, median error (or 3% of the period)", "us",
     1.0, true},
    {"h100-4x-cx7-ndr400.folds.median", "h100-4x-cx7-ndr400, sets held out (k-fold), median", "%",
     2.0, true},
    {"h100-4x-cx7-ndr400.folds.p90", "h100-4x-cx7-ndr400, sets held out, 90th percentile", "%", 4.5,
     true},
    {"h100-4x-cx7-ndr400.folds.max", "h100-4x-cx7-ndr400, sets held out, worst", "%", 8.0, true},
    {"h200-nvlink-domain.folds.median", "h200-nvlink-domain, sets held out (k-fold), median", "%",
     2.0, true},
    {"h200-nvlink-domain.folds.p90", "h200-nvlink-domain, sets held out, 90th percentile", "%", 4.5,
     true},
    {"h200-nvlink-domain.folds.max", "h200-nvlink-domain, sets held out, worst", "%", 8.0, true},
    {"later.median", "own measurements that no profile was fitted on, median", "%", 2.0, true},
    {"later.p90", "own measurements that no profile was fitted on, 90th percentile", "%", 4.5,
     true},
    {"later.max", "own measurements that no profile was fitted on, worst", "%", 8.0, true},
    {"hold/16", "hold model, N = 16, events", "M/s", 30.0, false},
    {"hold/1024", "hold model, N = 1,024, events", "M/s", 12.0, false},
    {"hold/16384", "hold model, N = 16,384, events", "M/s", 8.0, false},
    {"hold_ratio/16", "hold model over its floor, N = 16", "x", 0.8, false},
    {"hold_ratio/1024", "hold model over its floor, N = 1,024", "x", 0.8, false},
    {"hold_ratio/16384", "hold model over its floor, N = 16,384", "x", 0.8, false},
    {"recorded_set", "the whole recorded data set predicted", "s", 0.5, true},
    {"sweep_10000", "10,000 T = 1 configurations, two cores", "s", 10.0, true},
    {"calibrate_cluster", "a full calibration of one cluster, two cores", "s", 180.0, true},
};

}  // namespace fanin::experiments
