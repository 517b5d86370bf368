// Attention kernels A2 (source finalize), A3 (collect) and A4 (reduce epilogue).
#pragma once

#include "roles/bf16.cuh"
#include "roles/common.cuh"

namespace fanin::kernels::roles {

struct AttentionReceiveArgs {
  Shape shape;
  SourceMemory memory;
  device::Watch watch;
  Trace trace;
};

inline constexpr int kFinalizeThreads = 256;
inline constexpr int kCollectThreads = 192;
inline constexpr int kReduceThreads = 512;

/// A2, one CTA: the counts are ready for the next exchange.
template <bool kStamped>
__global__ void attention_finalize(const __grid_constant__ AttentionReceiveArgs args) {
  record_placement(args.trace);
  const int words = args.shape.experts + args.shape.ffn_ranks;
  for (int i = static_cast<int>(threadIdx.x); i < words; i += static_cast<int>(blockDim.x)) {
    args.memory.counts[i] = 0;
  }
  if (threadIdx.x == 0) *args.memory.count_arrivals = 0;
}

/// A3, one CTA: waits for the finish word of every (FFN rank, channel) and clears it by a plain
/// store.
template <device::Scope kScope, bool kStamped>
__global__ void __launch_bounds__(kCollectThreads, 1)
    attention_collect(const __grid_constant__ AttentionReceiveArgs args) {
  record_placement(args.trace);
  const int words = args.shape.ffn_ranks * args.shape.channels();
  for (int i = static_cast<int>(threadIdx.x); i < words; i += kCollectThreads) {
    Word* word = args.memory.inbox.finishes + i;
    wait_until(
        args.watch, WordKind::finish, i, layout::pack2(1, 0),
        [&] { return device::load_acquire<kScope>(word); },
        [](Word seen) { return layout::finishes(seen) != 0; });
    *word = 0;
    if constexpr (kStamped) args.trace.matched_ns[i] = device::global_ns();
  }
}

/// A4: sums the rows that the FFN ranks returned for each token, in the order of the ranks.
template <bool kStamped>
__global__ void __launch_bounds__(kReduceThreads)
    attention_reduce(const __grid_constant__ AttentionReceiveArgs args) {
  record_placement(args.trace);
  const Shape& shape = args.shape;
  const std::size_t row_bytes = layout::combine_row_bytes(shape);
  const std::size_t payload = layout::payload_bytes(shape);
  const int vectors = static_cast<int>(payload / layout::kVector);
  const int warps = static_cast<int>(gridDim.x * blockDim.x / 32);
  for (int token = static_cast<int>(blockIdx.x * blockDim.x / 32) + warp_id();
       token < args.memory.tokens; token += warps) {
    int expert = -1;
    if (lane_id() < shape.top_k) {
      expert = args.memory.experts[static_cast<std::size_t>(token) * shape.top_k + lane_id()];
    }
    const unsigned owners =
        __reduce_or_sync(kFullMask, expert < 0 ? 0u : 1u << (expert / shape.local_experts()));
    auto* out = reinterpret_cast<uint4*>(args.memory.output + token * payload);
#pragma unroll 4
    for (int v = lane_id(); v < vectors; v += 32) {
      Sum8 sum;
      for (unsigned left = owners; left != 0; left &= left - 1) {
        const char* row = args.memory.inbox.rows +
                          layout::returned_row(shape, __ffs(left) - 1, token) * row_bytes;
        sum.add(reinterpret_cast<const uint4*>(row)[v]);
      }
      out[v] = sum.packed();
    }
  }
}

}  // namespace fanin::kernels::roles
