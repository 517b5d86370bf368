// One exchange through the discrete-event simulator.
#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <vector>

#include "fanin/hw/profile.hpp"
#include "fanin/hw/units.hpp"
#include "fanin/model/exchange.hpp"

namespace fanin::model {

struct SimulationOptions {
  bool reference = false;     ///< one heap event per operation; turns every short cut off
  bool explain = true;        ///< fill critical_path, resources; off is faster, with the same times
  bool record_trace = false;  ///< fill SimulationResult::trace
  bool record_points = false;  ///< fill SimulationResult::points (hybrid path, role protocol)
  int max_exchanges = 16;      ///< give up the search for a steady period after this many
};

/// Share of the steady exchange's critical path that was spent on one resource, in path order of
/// first use. The shares sum to SimulationResult::exchange.
struct CriticalShare {
  std::string resource;
  Picoseconds time;
};

/// Start and end of one kernel of the steady exchange; zero = start of the first Attention GPU's
/// dispatch, as in recorded timelines.
struct KernelSpan {
  int device = 0;    ///< FFN GPUs first, then Attention GPUs
  std::string role;  ///< "ffn" or "attention"
  int launch_index = 0;
  std::string kernel;  ///< the recorded timelines' kernel names
  Picoseconds start;
  Picoseconds end;
  int grid = 0;  ///< CTAs; SM time reserved = grid × (end − start)
};

/// When the steady exchange passed one step of the protocol on one GPU, as in-kernel stamps see it:
/// counts_posted, finish_posted (Attention dispatch), counts_seen, tail_seen, row_forwarded,
/// channel_done (FFN dispatch), row_returned, combine_finish_posted (FFN combine), finish_served,
/// finish_matched (at the Attention GPU). Zero = the first Attention GPU's first finish_posted.
struct PointTimes {
  int device = 0;  ///< numbered like KernelSpan::device
  std::string role;
  std::string point;
  std::int64_t events = 0;  ///< channels, rows or words that passed it, ≥ 1
  Picoseconds first;
  Picoseconds median;  ///< of an even number: the later of the two in the middle
  Picoseconds last;
};

struct ResourceUse {
  std::string resource;
  double utilisation = 0.0;  ///< busy share of the steady period, 0…1
  double mean_queue = 0.0;   ///< operations waiting, mean over the period
  std::int64_t max_queue = 0;
};

/// A slice or flow arrow for a timeline viewer.
struct TraceEvent {
  std::string track;  ///< e.g. "ffn0/nic/responder"
  std::string name;
  Picoseconds start;
  Picoseconds duration;
  std::int64_t flow_id = -1;  ///< equal ids are joined by an arrow, in time order
};

/// One GEMM that runs beside the exchange, over and over. 0: none on that role.
struct GemmTimes {
  Picoseconds attention;  ///< on the first Attention GPU
  Picoseconds ffn;        ///< on the first FFN GPU
};

struct SimulationResult {
  Picoseconds exchange;  ///< steady period: the recorded metric
  std::uint64_t events = 0;
  int exchanges_run = 0;
  std::vector<CriticalShare> critical_path;
  std::map<std::string, std::map<std::string, std::int64_t>>
      operations;  ///< [resource][op] = count
  std::vector<KernelSpan> kernels;
  std::optional<GemmTimes> gemm;  ///< when the exchange has a GEMM load
  std::vector<ResourceUse> resources;
  std::vector<TraceEvent> trace;
  std::vector<PointTimes> points;  ///< by device, in the order of the steps
};

/// Deterministic: same exchange, profile and options give the same result to the picosecond.
/// Throws InputError when exchange.validate() is not empty, and SimulationStuck (stuck.hpp) when a
/// wait can never be satisfied.
SimulationResult simulate(const Exchange& exchange, const hw::Profile& profile,
                          const SimulationOptions& options = {});

}  // namespace fanin::model
