// The emulated NIC's device-side data: what a NIC finds in global memory, and what its warps share.
//
// A requester is one warp: it takes its rank's posts in order, stamps each with the time at which
// the requester is done with it and writes it, with the time at which it will arrive, into a link
// to the peer's responder. A responder is one warp that takes what has arrived, merged by time of
// arrival, stamps it with its completion and hands it to the server thread, which waits for that
// time and then acts. Rows are copied by further warps.
#pragma once

#include <cstdint>

#include "fanin/kernels/device/emulated_nic.cuh"
#include "fanin/kernels/nic_schedule.hpp"

namespace fanin::kernels::nic {

using device::NicEntry;
using device::NicOp;
using device::NicSlots;
using device::Word;

inline constexpr int kMaxRanks = 64;
inline constexpr int kMaxLinks = 32;  ///< NICs that one NIC sends to, or hears from
inline constexpr int kPerLane = device::kEntriesPerLane;
inline constexpr int kBlock = 32 * kPerLane;  ///< operations that a warp takes at a time
inline constexpr int kFifo = 512;             ///< operations between a responder and its server
inline constexpr int kJobs = 128;             ///< row copies under way in one NIC, at least a block
inline constexpr int kLockSlots = 512;
inline constexpr int kContexts = 1024;
inline constexpr int kThreads = 512;
inline constexpr std::uint32_t kAllLanes = 0xffffffffu;

// A link holds what its requester has sent ahead of the responder's time; the requester waits when
// it is full, as a NIC does that gets no credits.
inline constexpr std::uint32_t kLinkLog2 = 10;
inline constexpr std::uint32_t kLinkEntries = 1u << kLinkLog2;
/// Bytes that one copy warp moves at a time.
inline constexpr int kCopyBytes = 8448;

/// Entries from one requester to one responder; the requester alone writes them.
struct Link {
  NicSlots slots;
  Word* tail;  ///< entries written, kept here from one launch to the next
  Word* head;  ///< entries that the responder has taken
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
  unsigned long long requested;
  unsigned long long responded;
  unsigned int late_ns;  ///< how far behind its schedule the server was, at worst, when it woke
  int sm;
};

struct Control {
  Word stop;  ///< set by the host: end when all rings are empty
  Word requesters_done;
};

/// One block in the order of service, where lanes hold it in another order or where mechanisms look
/// at one operation a lane. Times in ticks after the server is free.
struct StagedBlock {
  alignas(16) std::int32_t arrival[kBlock];
  std::int32_t service[kBlock];
  std::int32_t queue[kBlock];
  std::int32_t lock[kBlock];
  std::int32_t is_row[kBlock];
  std::int32_t done[kBlock];
  std::int32_t rows[kBlock];
};

struct RequesterShared {
  StagedBlock block;
  NicSlots link_slots[kMaxLinks];
  signed char link_of_peer[kMaxRanks];
  std::int32_t context_tags[kContexts];
};

/// One place of the FIFO between responder and server. Nearly all operations are adds of a small
/// value with no row before them that the server has not seen: those need `plain` alone. plain.x:
/// low 48 bits target, then kNotPlain, then NicOp. plain.y: low half the value, packed by
/// pack_value; high half the low half of the SM's cycle at which to act.
inline constexpr Word kNotPlain = Word{1} << 48;
inline constexpr int kOpShift = 49;

struct ResponderShared {
  ulonglong2 plain[kFifo];
  Word value[kFifo];          ///< whole value, where not plain
  std::uint32_t rows[kFifo];  ///< rows ahead of the operation, where not plain
  std::uint32_t published;    ///< by the responder
  std::uint32_t taken;        ///< by the server
  std::uint32_t closed;       ///< nothing more is published

  StagedBlock block;
  long long lock_free[kLockSlots];

  Word job_target[kJobs];
  Word job_source[kJobs];
  std::uint32_t job_bytes[kJobs];
  std::uint32_t job_done[kJobs];  ///< number of the job done last here, plus 1
  std::uint32_t jobs_published;
  std::uint32_t jobs_taken;
  std::uint32_t jobs_closed;
};

struct alignas(128) NicShared {
  RequesterShared requester;
  ResponderShared responder;
};

/// A signal's value has few bits in each half (see layout.hpp's pack2); others are not plain.
__device__ __forceinline__ bool packs(Word value) { return (value & 0xffff0000ffff0000ull) == 0; }
__device__ __forceinline__ std::uint32_t pack_value(Word value) {
  return static_cast<std::uint32_t>(value) | static_cast<std::uint32_t>(value >> 16);
}
__device__ __forceinline__ Word unpack_value(std::uint32_t packed) {
  return (packed & 0xffffu) | static_cast<Word>(packed >> 16) << 32;
}

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

/// When a NIC gives up: well past the watch's limit, so that whoever waits for it reports first.
__device__ __forceinline__ bool overdue(const device::Watch& watch, std::uint64_t start,
                                        std::uint64_t now, int rank) {
  if (now - start < watch.limit_ns + watch.limit_ns / 2) return false;
  watch.stalled(WordKind::start, rank, 1, 0);
  return true;
}

}  // namespace fanin::kernels::nic
