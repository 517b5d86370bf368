// What each rank's kernels can reach: its own memory and the inboxes of its peers.
#pragma once

#include "fanin/kernels/device/memory.cuh"
#include "fanin/kernels/device/wait.cuh"
#include "fanin/kernels/layout.hpp"
#include "fanin/kernels/stamp.hpp"

namespace fanin::kernels::roles {

using device::Word;

/// Memory of one FFN rank that sources write to.
struct FfnInbox {
  char* rows = nullptr;    ///< dispatch rows, layout::inbox_row
  Word* tails = nullptr;   ///< layout::tail_word
  Word* counts = nullptr;  ///< layout::count_words a source
};

/// Memory of one source that FFN ranks write to.
struct SourceInbox {
  char* rows = nullptr;      ///< combine rows, layout::returned_row
  Word* finishes = nullptr;  ///< layout::finish_word
};

/// Memory of one source.
struct SourceMemory {
  int source = 0;
  int tokens = 0;
  const char* input = nullptr;            ///< [tokens] payloads
  const std::int32_t* experts = nullptr;  ///< [tokens][top_k], −1: none
  const float* weights = nullptr;         ///< [tokens][top_k]
  char* staging = nullptr;                ///< [capacity] dispatch rows
  unsigned* counts = nullptr;             ///< [experts + ffn_ranks], red-added by the CTAs
  Word* count_arrivals = nullptr;         ///< CTAs that have added
  Word* count_message = nullptr;          ///< [ffn_ranks][count_words]
  SourceInbox inbox;
  char* output = nullptr;  ///< [tokens] payloads
};

/// Memory of one FFN rank.
struct FfnMemory {
  int ffn = 0;
  FfnInbox inbox;
  char* channel_rows = nullptr;       ///< dispatch rows received over NVLink, layout::channel_row
  layout::Origin* origins = nullptr;  ///< of the same rows
  Word* channel_tails = nullptr;      ///< [channels] end-of-list tails: rows of the channel
  unsigned* zero_counts = nullptr;    ///< [experts] the FFN's own counts
  Word* zero_arrivals = nullptr;
  std::int32_t* expert_begin = nullptr;  ///< [local_experts + 1] first expert row of each expert
  std::int32_t* expert_fill = nullptr;   ///< [local_experts] rows placed so far
  char* expert_rows = nullptr;           ///< payloads in expert order
  char* reduced_rows = nullptr;          ///< combine rows, layout::channel_row
  Word* reduced_tails = nullptr;         ///< [channels] rows published by the scale-up warp
  char* staging = nullptr;               ///< combine rows, layout::channel_row
  Word* grid_arrivals = nullptr;         ///< of the grid barrier
  Word* domain_arrivals = nullptr;       ///< of the barrier over NVLink peers
  Word* domain_epoch = nullptr;
};

struct FfnPeers {
  FfnInbox inbox[kMaxPeers];
};
struct SourcePeers {
  SourceInbox inbox[kMaxPeers];
};

/// Where a kernel leaves the SM of each of its CTAs, and its warps' stamps.
struct Trace {
  std::int32_t* placement = nullptr;
  StampRing* rings = nullptr;
  std::uint64_t* matched_ns = nullptr;  ///< collect: when each finish word was seen
};

}  // namespace fanin::kernels::roles
