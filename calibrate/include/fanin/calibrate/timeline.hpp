// Kernel times of one exchange on every GPU, as a tracer saw them: the rows of
// kernel_timelines.jsonl (start and end on one clock) and of cross_node_kernel_durations.jsonl
// (durations only), one JSON object a kernel; and the protocol's steps as stamps inside the kernels
// saw them, one JSON object a GPU and step (`point` instead of `kernel`).
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

/// When one exchange passed a step of the protocol on one GPU; steps and zero are those of
/// model::PointTimes.
struct TimelinePoint {
  std::optional<int> node;  ///< like TimelineSpan::node
  int device = 0;
  std::string role;        ///< "ffn" or "attention"
  std::string point;       ///< the step's name
  double first_us = 0.0;   ///< of the channels, rows or words that passed it
  double median_us = 0.0;  ///< ≥ first_us
  double last_us = 0.0;    ///< ≥ median_us
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
  std::vector<TimelineSpan> spans;    ///< in the file's order
  std::vector<TimelinePoint> points;  ///< likewise
};

struct TimelineSet {
  /// Some trace has stamped points.
  bool has_points() const;
  std::vector<Timeline> timelines;             ///< in order of first row
  std::map<std::string, std::size_t> skipped;  ///< lines that are neither, by reason
};

/// Throws InputError like read_records; also when rows of one trace disagree about its
/// configuration or period, and when two spans with a start have the same trace, device and launch
/// index, or two rows of the same trace, device and point. Of spans with a duration only, several
/// may be samples of the same kernel.
TimelineSet read_timelines(const std::vector<std::string>& paths);

}  // namespace fanin::calibrate
