// The transport that posts to an emulated NIC on the same GPU (see nic_settings.hpp for what the
// NIC costs). Order is stronger than the interface asks for: all posts of a rank are served in the
// order in which they took their place in its ring.
#pragma once

#include <cstdint>

#include "fanin/kernels/device/nic_entry.cuh"
#include "fanin/kernels/device/transport.cuh"
#include "fanin/kernels/device/wait.cuh"

namespace fanin::kernels::device {

/// One rank's ring of posts. Any warp posts; the rank's requester takes entries in order.
struct NicRing {
  NicSlots slots;
  Word* posted = nullptr;          ///< next place to hand out
  const Word* consumed = nullptr;  ///< places that the requester has taken

  __device__ Word entries() const { return Word{1} << slots.log2; }
};

struct EmulatedNicTransport {
  static constexpr bool kStages = true;
  static constexpr Word kMarkers = 1024;  ///< flushes that may be under way at a time

  NicRing ring;
  Word* markers = nullptr;  ///< [kMarkers]
  Word* marker_count = nullptr;
  std::uint32_t wire_ns = 0;  ///< a completion's way back
  Watch watch;

  /// Whole warp. The row stays unchanged until the next flush, or until the peer has seen a later
  /// add of the same queue.
  __device__ void put(int queue, int peer, void* dst, const void* src, std::uint32_t bytes,
                      Doorbell doorbell) const {
    if (threadIdx.x % 32 == 0) {
      post(NicOp::row, doorbell == Doorbell::now, queue, peer, reinterpret_cast<Word>(dst),
           reinterpret_cast<Word>(src), bytes);
    }
    __syncwarp();
  }

  __device__ void order_puts() const { __syncwarp(); }

  __device__ void add(int queue, int peer, Word* word, Word value) const {
    post(NicOp::add, true, queue, peer, reinterpret_cast<Word>(word), value, 0);
  }

  __device__ void add_ordered(int queue, int peer, Word* word, Word value) const {
    add(queue, peer, word, value);
  }

  __device__ void put_value(int queue, int peer, Word* word, Word value) const {
    post(NicOp::write, true, queue, peer, reinterpret_cast<Word>(word), value, 0);
  }

  __device__ void flush(int queue, int peer) const {
    const Word number = atomicAdd(marker_count, Word{1});
    Word* const word = markers + number % kMarkers;
    post(NicOp::marker, false, queue, peer, reinterpret_cast<Word>(word), number + 1, 0);
    wait_until(
        watch, WordKind::completion, static_cast<std::int64_t>(number % kMarkers), number + 1,
        [&] { return load_acquire<Scope::gpu>(word); }, [&](Word seen) { return seen > number; });
    const std::uint64_t done = global_ns();
    while (global_ns() - done < wire_ns) {
    }
  }

  /// One lane. All that this thread (or, after __syncwarp, its warp) wrote before is visible to
  /// whoever sees the operation's effect.
  __device__ void post(NicOp op, bool doorbell, int queue, int peer, Word target, Word value,
                       std::uint32_t bytes) const {
    fence<Scope::gpu>();
    // Read before the place is taken, so the two round trips overlap; an old value is only
    // stricter.
    const Word consumed = load_relaxed(ring.consumed);
    const Word index = atomicAdd(ring.posted, Word{1});
    const Word entries = ring.entries();
    if (index - consumed >= entries) {
      const bool room = wait_until(
          watch, WordKind::queue_space, static_cast<std::int64_t>(index), index - entries + 1,
          [&] { return load_relaxed(ring.consumed); },
          [&](Word seen) { return index - seen < entries; });
      if (!room) return;
    }
    ring.slots.store(index, make_entry(op, doorbell, queue, peer, target, value, bytes,
                                       static_cast<std::uint32_t>(global_ns())));
  }
};

}  // namespace fanin::kernels::device
