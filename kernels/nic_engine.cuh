// The emulated NIC's device-side data: what a NIC finds in global memory, and what the two warps of
// one of its servers share. A scheduler warp stamps each operation with the time at which the server
// ends it and hands it to a server thread, which waits for that time and then acts.
#pragma once

#include <cstdint>

#include "fanin/kernels/device/emulated_nic.cuh"
#include "fanin/kernels/nic_schedule.hpp"

namespace fanin::kernels::nic {

using device::NicEntry;
using device::NicOp;
using device::Word;

inline constexpr int kMaxRanks = 64;
inline constexpr int kMaxLinks = 32;    ///< NICs that one NIC sends to, or hears from
inline constexpr int kBlock = 64;       ///< operations that a scheduler takes at a time, two a lane
inline constexpr int kFifo = 256;       ///< operations between a scheduler and its server
inline constexpr int kJobs = 64;        ///< row copies under way in one NIC
inline constexpr int kLockSlots = 512;
inline constexpr int kContexts = 1024;
inline constexpr int kThreads = 512;
inline constexpr std::uint32_t kAllLanes = 0xffffffffu;

/// Entries from one requester to one responder; the requester alone writes them.
struct Link {
  NicEntry* entries;
  Word* tail;  ///< entries written, kept here from one launch to the next
  Word* head;  ///< entries that the responder has taken
  std::uint32_t log2;
};

/// Counters of one server since it started.
struct ServerCounters {
  unsigned long long served;
  unsigned int late_ns;  ///< how far behind its schedule it was, at worst, when it woke
};

/// One rank's NIC.
struct RankNic {
  device::NicRing ring;
  Word* consumed;
  int queues;
  int out_count;
  int in_count;
  Link out[kMaxLinks];
  Link in[kMaxLinks];
  signed char link_of_peer[kMaxRanks];  ///< index in `out`; -1: no link
  StageCosts send;
  StageCosts serve;
  std::uint32_t post_ns;
  std::uint32_t wire_ns;
  ServerCounters counters[2];  ///< requester, responder
  int sm;
};

struct Control {
  Word stop;             ///< set by the host: end when all rings are empty
  Word requesters_done;
  Word ready;            ///< CTAs that run
};

/// One place of the FIFO between scheduler and server, as three arrays of 16 bytes; `when` is a cycle
/// of the SM's clock. Requester: the entry for the responder, then {place in the link, when}.
/// Responder: {target, value}, {op | rows before << 32, when}; the third is not used.
struct EngineShared {
  ulonglong2 first[kFifo];
  ulonglong2 second[kFifo];
  ulonglong2 third[kFifo];
  std::uint32_t published;  ///< by the scheduler
  std::uint32_t taken;      ///< by the server
  std::uint32_t closed;     ///< nothing more is published

  // One block in the order of service, where that differs from the order of arrival in lanes or
  // where one thread works through the block.
  std::int32_t arrival[kBlock];
  std::int32_t service[kBlock];
  std::int32_t queue[kBlock];
  std::int32_t lock[kBlock];
  std::int32_t done[kBlock];
  std::int32_t rows[kBlock];

  // Row copies (responder only).
  Word job_target[kJobs];
  Word job_source[kJobs];
  std::uint32_t job_bytes[kJobs];
  std::uint32_t job_done[kJobs];  ///< number of the job done last here, plus 1
  std::uint32_t jobs_published;
  std::uint32_t jobs_taken;
  std::uint32_t jobs_closed;

  long long lock_free[kLockSlots];
  std::int32_t context_tags[kContexts];
};

__device__ __forceinline__ std::uint32_t load_shared_acquire(const std::uint32_t* word) {
  std::uint32_t value;
  asm volatile("ld.acquire.cta.shared.u32 %0, [%1];"
               : "=r"(value)
               : "r"(device::shared_address(word))
               : "memory");
  return value;
}

__device__ __forceinline__ void store_shared_release(std::uint32_t* word, std::uint32_t value) {
  asm volatile("st.release.cta.shared.u32 [%0], %1;" ::"r"(device::shared_address(word)), "r"(value)
               : "memory");
}

__device__ __forceinline__ void store_shared(std::uint32_t* word, std::uint32_t value) {
  asm volatile("st.relaxed.cta.shared.u32 [%0], %1;" ::"r"(device::shared_address(word)), "r"(value)
               : "memory");
}

/// When the whole NIC gives up: the watch's limit has passed since `start` without a stop.
__device__ __forceinline__ bool overdue(const device::Watch& watch, std::uint64_t start,
                                        std::uint64_t now, int rank) {
  if (now - start < watch.limit_ns) return false;
  watch.stalled(WordKind::start, rank, 1, 0);
  return true;
}

}  // namespace fanin::kernels::nic
