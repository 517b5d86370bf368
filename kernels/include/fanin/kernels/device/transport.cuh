// How a kernel moves rows and signals to another rank. Role kernels are templates over a transport:
// a trivially copyable struct, made by the host for one rank and passed by value, with these
// members.
//
//   static constexpr bool kStages
//     false: put_shared copies straight from shared memory.
//     true:  the transport reads a put's source later. The kernel writes the row to a staging slot
//     in
//            global memory that stays unchanged until the row is delivered, then calls put.
//
//   put(queue, peer, dst, src, bytes, doorbell)         whole warp, converged, uniform arguments
//     Writes bytes from src (global memory of this rank) to dst (global memory of the peer). Both
//     addresses and the size are multiples of 16.
//   put_shared(queue, peer, dst, src, bytes, doorbell)  one lane; only where !kStages
//     The same from shared memory. The source may be overwritten after sources_read. Before the
//     call, stores to it are fenced for the copy engine (fence_proxy_async).
//   put_nothing()                                       one lane; only where !kStages
//     Counts as a put of the lane for what waits for "all but the last".
//   sources_read<kPending>()                            whole warp; only where !kStages
//     Each lane's sources of all but its last kPending puts have been read.
//   order_puts()                                        whole warp
//     Call between a warp's puts and an add that a lane other than the one that put makes, or
//     add_ordered.
//   order_own_puts()                                    one lane; only where !kStages
//     The same for a lane's own puts.
//   add(queue, peer, word, value)                       one lane, or several lanes with different
//   peers
//     64-bit fetch-add with release order; rings the doorbell of its queue.
//   add_ordered(queue, peer, word, value)               as add, after order_puts and no put since
//   add_behind<kPuts>(queue, peer, word, value)         one lane; only where !kStages
//     An add that waits for all of the lane's puts but the last kPuts.
//   put_value(queue, peer, word, value)                 as add: an 8 B inline write
//   store(peer, word, value)                            any lane; only where !kStages
//     A put of 8 B that the lane holds: unordered, as every put.
//   flush(queue, peer)                                  one lane
//     Returns when all that this rank posted on (queue, peer) has taken effect.
//
// Order, per (queue, peer): two puts are unordered; an add (and a put_value) becomes visible only
// after all earlier puts of its queue. Nothing is ordered across queues. `queue` counts from 0 to
// queues − 1, `peer` is a world rank (FFN ranks first, then Attention ranks). Several warps and
// CTAs may post on one queue at the same time.
#pragma once

#include <cstdint>

#include "fanin/kernels/device/memory.cuh"

namespace fanin::kernels::device {

/// later: a row's doorbell is left to the next add of its queue.
enum class Doorbell { later, now };

/// Direct stores and release atomics: local memory on one device, peer memory over NVLink.
template <Scope kScope>
struct NvlinkTransport {
  static constexpr bool kStages = false;

  __device__ void put(int, int, void* dst, const void* src, std::uint32_t bytes, Doorbell) const {
    const auto* from = static_cast<const uint4*>(src);
    auto* to = static_cast<uint4*>(dst);
    const std::uint32_t words = bytes / sizeof(uint4);
#pragma unroll 4
    for (std::uint32_t i = threadIdx.x % 32; i < words; i += 32) to[i] = from[i];
    __syncwarp();
  }

  __device__ void put_shared(int, int, void* dst, const void* src, std::uint32_t bytes,
                             Doorbell) const {
    bulk_store(dst, src, bytes);
    bulk_commit();
  }

  __device__ void put_nothing() const { bulk_commit(); }

  template <int kPending>
  __device__ void sources_read() const {
    bulk_wait_read<kPending>();
    __syncwarp();
  }

  __device__ void order_puts() const {
    bulk_wait_all();
    __syncwarp();
    fence_release<kScope>();
  }

  __device__ void order_own_puts() const {
    bulk_wait_all();
    fence_release<kScope>();
  }

  __device__ void add_ordered(int, int, Word* word, Word value) const {
    add_relaxed<kScope>(word, value);
  }

  __device__ void add(int, int, Word* word, Word value) const {
    bulk_wait_all();
    add_release<kScope>(word, value);
  }

  template <int kPuts>
  __device__ void add_behind(int, int, Word* word, Word value) const {
    bulk_wait<kPuts>();
    add_release<kScope>(word, value);
  }

  __device__ void put_value(int, int, Word* word, Word value) const {
    bulk_wait_all();
    store_release<kScope>(word, value);
  }

  __device__ void store(int, Word* word, Word value) const { *word = value; }

  __device__ void flush(int, int) const {
    bulk_wait_all();
    fence<kScope>();
  }
};

}  // namespace fanin::kernels::device
