// The emulated NIC's device-side data: what a NIC finds in global memory, and what its warps share.
//
// A requester is one warp: it takes its rank's posts in order, stamps each with the time at which
// the requester is done with it and writes it, with the time at which it will arrive, into a link
// to the peer. There the collector, one warp, takes what has arrived, merged by time of arrival;
// the responder, another, stamps it with its completion and hands it to the server warp, which
// waits for that time and then acts. Rows are copied by further warps.
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
inline constexpr int kMaxCtas = 256;
inline constexpr int kMaxLinks = 32;  ///< NICs that one NIC sends to, or hears from
inline constexpr int kPerLane = device::kEntriesPerLane;
inline constexpr int kBlock = 32 * kPerLane;  ///< operations that a warp takes at a time
inline constexpr int kFifo = 512;             ///< operations between a responder and its server
inline constexpr int kBatchCountBits = 8;     ///< of a batch's number of operations
inline constexpr int kJobs = 256;             ///< row copies under way in one NIC, at least a block
inline constexpr std::uint32_t kAcks = 2048;  ///< acknowledgements that a requester keeps
inline constexpr int kLockSlots = 512;
inline constexpr int kContexts = 1024;
inline constexpr int kThreads = 384;
inline constexpr std::uint32_t kAllLanes = 0xffffffffu;

// A link holds what its requester has sent ahead of the responder's time; the requester waits when
// it is full, as a NIC does that gets no credits.
inline constexpr std::uint32_t kLinkLog2 = 10;
inline constexpr std::uint32_t kLinkEntries = 1u << kLinkLog2;
/// Bytes that a copy warp moves as one piece, and pieces that it has under way: one half of them is
/// being read while the other is being written.
inline constexpr int kCopyBytes = 4352;
inline constexpr int kCopyPieces = 4;

/// What a NIC's server leaves of an operation when it is asked to.
struct ServedOp {
  std::uint64_t ns;  ///< device timer
  Word target;
};
inline constexpr int kServedOps = 8192;  ///< the last ones are kept

/// Entries from one requester to one responder; the requester alone writes them.
struct Link {
  NicSlots slots;
  Word* tail;  ///< entries written, kept here from one launch to the next
  Word* head;  ///< entries that the responder has taken
  /// [kAcks], of the requester: place n % kAcks holds n + 1 and, in its low half, the ns at which
  /// the acknowledgement of its operation n arrives; null: it keeps no window.
  Word* acks;
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
  std::uint32_t outstanding;  ///< operations that may be unacknowledged; 0: any number
  Word* acks;                 ///< [kAcks]
  unsigned long long requested;
  unsigned long long responded;
  unsigned long long acted;  ///< the same without rows: what its server has performed
  Word* scratch;             ///< nobody reads it
  ServedOp* served;          ///< [kServedOps], place `acted` % kServedOps; null: not asked for
  unsigned int late_ns;      ///< how far behind its schedule the server was, at worst, when it woke
};

struct Control {
  Word stop;  ///< set by the host: end when all rings are empty
  Word requesters_done;
  int sm[kMaxCtas];  ///< of each CTA
};

/// One block in the order of service, where lanes hold it in another order or where mechanisms look
/// at one operation a lane. Times in ticks after the server is free.
struct StagedBlock {
  alignas(16) std::int32_t arrival[kBlock];
  std::int32_t service[kBlock];
  std::int32_t queue[kBlock];
  std::int32_t lock[kBlock];
  std::int32_t done[kBlock];
};

struct RequesterShared {
  StagedBlock block;
  NicSlots link_slots[kMaxLinks];
  signed char link_of_peer[kMaxRanks];
  std::int32_t context_tags[kContexts];
};

/// One place of the FIFO between responder and server. Nearly all operations are adds of a small
/// value with no row before them that the server has not seen: those need `plain` alone. plain.x:
/// low 48 bits target, then kNotPlain, then NicOp (0 where plain), then the place's turn, which
/// tells the server that the operation is there. plain.y: low half the value, packed by pack_value;
/// high half the low half of the SM's cycle at which to act.
inline constexpr Word kTargetBits = (Word{1} << 48) - 1;
inline constexpr Word kNotPlain = Word{1} << 48;
inline constexpr int kOpShift = 49;
inline constexpr int kTurnShift = 3;  ///< of the turn in plain.x's high 16 bits

/// Turn of the FIFO's place in which operation `number` lies, never 0: 13 bits.
__device__ __forceinline__ std::uint32_t fifo_turn(std::uint32_t number) {
  return (number / kFifo) % 0x1000 + 1;
}
__device__ __forceinline__ std::uint32_t plain_turn(const ulonglong2& op) {
  return static_cast<std::uint32_t>(op.x >> 48);
}
__device__ __forceinline__ std::uint32_t turn_of(const ulonglong2& op) {
  return static_cast<std::uint32_t>(op.x >> (48 + kTurnShift));
}

// An SM performs one thread's accesses to shared memory in order, so whoever sees an operation's
// turn sees what its writer wrote before. An acquire would also wait for the server's adds under
// way to global memory, about 700 ns.
__device__ __forceinline__ ulonglong2 load_op(const ulonglong2* place) {
  ulonglong2 op;
  asm volatile("ld.volatile.shared.v2.u64 {%0, %1}, [%2];"
               : "=l"(op.x), "=l"(op.y)
               : "r"(device::shared_address(place))
               : "memory");
  return op;
}
__device__ __forceinline__ void store_op(ulonglong2* place, const ulonglong2& op) {
  asm volatile("st.volatile.shared.v2.u64 [%0], {%1, %2};" ::"r"(device::shared_address(place)),
               "l"(op.x), "l"(op.y)
               : "memory");
}

/// Operations in the order of service, handed over one batch at a time: a collector that ran ahead
/// would only make small batches, each of which costs the responder as much as a large one.
struct Batch {
  ulonglong2 first[kBlock];
  ulonglong2 second[kBlock];
  /// Batch n is there when the high bits say n + 1; the low ones say how many operations it has.
  std::uint32_t state;
  std::uint32_t taken;  ///< batches that the responder has read
};
static_assert(kBlock < 1 << kBatchCountBits, "a whole block is a batch");

struct ResponderShared {
  Batch batch;
  alignas(16) std::int32_t merge_keys[kBlock];  ///< of the collector

  ulonglong2 plain[kFifo];
  Word value[kFifo];          ///< whole value, where not plain
  std::uint32_t rows[kFifo];  ///< rows ahead of the operation, where not plain
  std::uint32_t taken;        ///< by the server
  std::uint32_t closed;       ///< nothing more comes

  StagedBlock block;
  long long lock_free[kLockSlots];

  Word job_target[kJobs];
  Word job_source[kJobs];
  std::uint32_t job_bytes[kJobs];
  std::uint32_t job_done[kJobs];  ///< number of the job done last here, plus 1
  std::uint32_t jobs_published;
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

/// A predicate instead of a branch.
__device__ __forceinline__ void add_if(bool condition, Word* word, Word value) {
  asm volatile(
      "{\n.reg .pred p;\nsetp.ne.u32 p, %0, 0;\n@p red.relaxed.gpu.global.add.u64 [%1], %2;\n}" ::
          "r"(condition ? 1u : 0u),
      "l"(word), "l"(value)
      : "memory");
}

/// Without order (see load_op).
__device__ __forceinline__ std::uint32_t load_shared(const std::uint32_t* word) {
  std::uint32_t value;
  asm volatile("ld.relaxed.cta.shared.u32 %0, [%1];"
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

// The same words as other SMs of the cluster see them, by generic addresses. Polls have no order,
// since an acquire drops the SM's cache each time; whoever has seen what it waited for makes up for
// it with fence_cluster.
__device__ __forceinline__ std::uint32_t load_cluster(const std::uint32_t* word) {
  std::uint32_t value;
  asm volatile("ld.relaxed.cluster.u32 %0, [%1];" : "=r"(value) : "l"(word) : "memory");
  return value;
}
__device__ __forceinline__ void fence_cluster() {
  asm volatile("fence.acq_rel.cluster;" ::: "memory");
}
__device__ __forceinline__ void store_cluster(std::uint32_t* word, std::uint32_t value) {
  asm volatile("st.relaxed.cluster.u32 [%0], %1;" ::"l"(word), "r"(value) : "memory");
}
__device__ __forceinline__ void store_cluster_release(std::uint32_t* word, std::uint32_t value) {
  asm volatile("st.release.cluster.u32 [%0], %1;" ::"l"(word), "r"(value) : "memory");
}

/// When a NIC gives up: well past the watch's limit, so that whoever waits for it reports first.
__device__ __forceinline__ bool overdue(const device::Watch& watch, std::uint64_t start,
                                        std::uint64_t now, int rank) {
  if (now - start < watch.limit_ns + watch.limit_ns / 2) return false;
  watch.stalled(WordKind::start, rank, 1, 0);
  return true;
}

}  // namespace fanin::kernels::nic
