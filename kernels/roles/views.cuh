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

/// Memory of one Attention rank.
struct SourceMemory {
  int source = 0;  ///< its number among the sources of its rail
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

/// Memory of one FFN rank. A list holds the rows of one channel; with several GPUs a domain, of one
/// channel and one rail (member_view), or on their way back of one channel and one member.
struct FfnMemory {
  int ffn = 0;
  FfnInbox inbox;
  char* channel_rows = nullptr;       ///< dispatch rows received over NVLink, layout::channel_row
  layout::Origin* origins = nullptr;  ///< of the same rows
  Word* channel_tails = nullptr;      ///< [lists] end-of-list tails: rows of the list
  unsigned* zero_counts = nullptr;    ///< [experts] the FFN's own counts
  Word* zero_arrivals = nullptr;
  std::int32_t* expert_begin = nullptr;  ///< [local_experts + 1] first expert row of each expert
  std::int32_t* expert_fill = nullptr;   ///< [local_experts] rows placed so far
  char* expert_rows = nullptr;           ///< payloads in expert order
  char* reduced_rows = nullptr;          ///< combine rows, layout::channel_row
  Word* reduced_tails = nullptr;         ///< [lists] rows published by the scale-up warps
  char* staging = nullptr;               ///< combine rows, layout::channel_row
  Word* grid_arrivals = nullptr;         ///< of the grid barrier
  Word* domain_arrivals = nullptr;       ///< of the barrier over NVLink peers
  Word* domain_epoch = nullptr;

  // With several GPUs a domain.
  Word* member_counts = nullptr;           ///< [rails][local_experts] counts from the rails' GPUs
  layout::Forwarded* forwarded = nullptr;  ///< rows sent on inside the domain, layout::channel_row
  std::int32_t* forwarded_rows = nullptr;  ///< [channels]
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
