// Kernel times of one exchange on every GPU, as a tracer saw them: the rows of
// kernel_timelines.jsonl (start and end on one clock) and of cross_node_kernel_durations.jsonl
// (durations only), one JSON object a kernel.
#pragma once

#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "fanin/model/exchange.hpp"

namespace fanin::calibrate {

struct TimelineSpan {
  std::optional<int> node;  ///< host; absent when all devices sit in one
  int device = 0;
  std::string role;      ///< "ffn" or "attention"
  int launch_index = 0;  ///< order of launch on its device, from 0
  std::string kernel;
  std::optional<double>
      start_us;  ///< zero = start of the anchor device's first kernel; < 0: waiting before
  std::optional<double> end_us;  ///< ≥ start_us
  double duration_us = 0.0;      ///< ≥ 0; includes the kernel's waiting
  std::optional<int> grid;       ///< CTAs
  std::optional<int> threads;    ///< of one CTA
};

/// All spans of one traced exchange: equal `trace`, or where rows have none, equal configuration.
struct Timeline {
  std::string trace;  ///< as recorded, else "PATH-PROTOCOL-4f12a-t1-24sm"
  std::string cluster;
  std::string protocol;  ///< as recorded, like Record::protocol
  /// The configuration. Where a row states no `path`, one with `node` is taken as hybrid and one
  /// without as nvlink; gpus_per_domain then follows from `sources`, or on nvlink is all ranks.
  model::Exchange exchange;
  std::optional<double> period_us;  ///< distance of exchanges while traced
  std::optional<int> anchor_device;
  std::vector<TimelineSpan> spans;  ///< in the file's order
};

struct TimelineSet {
  std::vector<Timeline> timelines;             ///< in order of first row
  std::map<std::string, std::size_t> skipped;  ///< lines that are no kernel spans, by reason
};

/// Throws InputError like read_records; also when rows of one trace disagree about its
/// configuration or period, and when two spans with a start have the same trace, device and launch
/// index. Of spans with a duration only, several may be samples of the same kernel.
TimelineSet read_timelines(const std::vector<std::string>& paths);

}  // namespace fanin::calibrate
