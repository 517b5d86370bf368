// What a kernel reports when a bounded spin ran out: which kernel waited for which word, and what
// it saw instead. Shared by host and device code; plain data, no CUDA.
#pragma once

#include <cstdint>
#include <string>

namespace fanin::kernels {

enum class KernelId : std::int32_t {
  none,
  attention_dispatch,
  attention_finalize,
  attention_collect,
  attention_reduce,
  ffn_dispatch,
  ffn_copy,
  ffn_combine,
  ffn_complete,
  nic,
  probe,
  gate,
};

/// The kind of word that was waited for.
enum class WordKind : std::int32_t {
  none,
  grid_barrier,    ///< arrivals of this kernel's CTAs
  domain_barrier,  ///< arrivals of the NVLink peers
  expert_counts,   ///< CTAs that have red-added their counts
  source_counts,   ///< count words of a source at the FFN
  domain_counts,   ///< count words of a rail at the other GPUs of its FFN domain
  tail,            ///< tail[channel][source] at the FFN
  scale_up_tail,   ///< rows of a channel received over NVLink
  finish,          ///< combine finish of (FFN rank, channel) at the source
  queue_space,     ///< room in a NIC queue
  completion,      ///< a NIC completion
  start,           ///< the host's start signal
  nic_server,      ///< operations that an emulated NIC's server has taken
  nic_copy,        ///< row copies that an emulated NIC has done
  row_loaded,      ///< phase of the mbarrier of a row that the copy engine loads
  stage_left,      ///< phase of the mbarrier of a stage whose row leaves the SM
};

/// First time-out of a run. `claimed` is 0 until one thread has filled in the rest.
struct StallReport {
  std::int32_t claimed;
  KernelId kernel;
  WordKind word;
  std::int32_t rank;   ///< world rank whose kernel waited
  std::int32_t block;  ///< CTA
  std::int32_t warp;   ///< warp of the CTA
  std::int64_t index;  ///< of the word in its array
  std::uint64_t expected;
  std::uint64_t seen;
};

const char* to_string(KernelId);
const char* to_string(WordKind);

/// "ffn_dispatch (rank 0) block 3 warp 2: tail[17] expected 0x1…, saw 0x0".
std::string describe(const StallReport&);

}  // namespace fanin::kernels
