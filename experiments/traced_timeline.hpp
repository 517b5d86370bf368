// From traced kernels to rows of kernel_timelines.jsonl and to a file for ui.perfetto.dev.
#pragma once

#include <string>
#include <vector>

#include "fanin/calibrate/kernel_tracer.hpp"
#include "fanin/kernels/run.hpp"
#include "output.hpp"

namespace fanin::experiments {

/// Median start and end of one kernel of one rank over the exchanges of the last block.
struct MeasuredSpan {
  int device = 0;  ///< world rank: FFN ranks, then Attention ranks
  std::string role;
  int launch_index = 0;
  std::string kernel;     ///< as in the recorded timelines
  double start_us = 0.0;  ///< zero = start of the first source's dispatch
  double end_us = 0.0;
  int grid = 0;
  int threads = 0;
};

struct MeasuredTimeline {
  std::vector<MeasuredSpan> spans;
  double period_us = 0.0;  ///< median distance of exchanges while traced
  int exchanges = 0;       ///< that the medians are over
};

/// Throws InputError when a rank's kernels are not all there.
MeasuredTimeline measured_timeline(const calibrate::KernelTrace& trace,
                                   const kernels::RunConfig& config);

Json to_json(const MeasuredTimeline& timeline);
MeasuredTimeline timeline_from_json(const Json& json);

}  // namespace fanin::experiments
