// Printed results of other people's benchmarks to records.
#pragma once

#include <string>

#include "fanin/calibrate/import.hpp"

namespace fanin::calibrate {

/// Output of DeepEP's own tests, of one process or of many interleaved.
/// V2 (tests/elastic/test_ep.py): one record for each case that has a dispatch and a combine row;
/// median_us is the largest over ranks of dispatch + copy + combine + reduce, each timed apart.
/// With EP_BUFFER_DEBUG=1 the log also states the channels per SM. Ranks do both roles, so
/// attention_ranks and ffn_ranks are all ranks. Legacy low latency (test_low_latency.py): one
/// record for each round of "Dispatch + combine" rows. Throws InputError when the log holds
/// neither, and like parse_record.
ImportReport import_deepep_log(const std::string& path, const StatedFields& set,
                               const RecordSink& sink);

/// Output of NCCL's ep_bench (one record a summary) or of nccl-tests such as alltoall_perf (one
/// record a row of the table, out of place; they state bytes, not tokens). Throws InputError when
/// the log holds neither, and like parse_record.
ImportReport import_nccl_log(const std::string& path, const StatedFields& set,
                             const RecordSink& sink);

}  // namespace fanin::calibrate
