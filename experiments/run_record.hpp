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

/// Runs this program with these arguments (the verb first) in a fresh process that prints one JSON
/// object. Throws InputError when it exits with 2.
Repeat run_program(const std::vector<std::string>& arguments);

/// Runs the point once in a fresh process of this program.
Repeat run_fresh(const RunFlags& flags, const RunPoint& point);

/// "h200-x1", then "-uU" with virtual GPUs, U > 1 a domain, then "-SETTING" with an emulated NIC:
/// one name, so one profile, a machine and setting.
std::string cluster_name(const std::string& gpu, int gpus_per_domain, const std::string& nic);

double median(std::vector<double> values);

/// "T1-S3-sm24", then what is not at its default.
std::string point_label(const RunFlags& flags, const RunPoint& point);

/// The record of a point from its repeats; median_us is the median of theirs.
Json make_record(const RunFlags& flags, const RunPoint& point, const std::vector<Json>& repeats,
                 const std::string& set, const std::string& commit);

}  // namespace fanin::experiments
