// The record line of a measured exchange, and the fresh processes that measure it.
#pragma once

#include <string>
#include <vector>

#include "output.hpp"
#include "run_flags.hpp"

namespace fanin::experiments {

/// What one process reports about one point: its result, or why it failed.
struct Repeat {
  Json result;  ///< median_us, block_us, checked_blocks, checked_bytes, placement, nic, machine
  std::string error;  ///< not empty: the exchange failed
};

/// The result of this process as JSON.
Json to_json(const kernels::RunResult& result, const kernels::Machine& machine);

/// Runs the point once in a fresh process of this program.
Repeat run_fresh(const RunFlags& flags, const RunPoint& point);

/// "h200-x1", or "h200-x1-SETTING" with an emulated NIC.
std::string cluster_name(const std::string& gpu, const std::string& nic);

/// The record of a point from its repeats; median_us is the median of theirs.
Json make_record(const RunFlags& flags, const RunPoint& point, const std::vector<Json>& repeats,
                 const std::string& set, const std::string& commit);

}  // namespace fanin::experiments
