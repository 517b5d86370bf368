// FFN kernels F2 (copy epilogue: rows to expert order) and F4 (complete: words for the next
// exchange).
#pragma once

#include "roles/common.cuh"

namespace fanin::kernels::roles {

struct FfnCopyArgs {
  Shape shape;
  FfnMemory memory;
  device::Watch watch;
  Trace trace;
  int stage_bytes;  ///< a dispatch row, aligned to 128
};

inline constexpr int kMostCopyWarps = 16;
inline constexpr int kCompleteThreads = 256;

/// Shared memory: one row and one mbarrier a warp.
FANIN_HOST_DEVICE constexpr std::size_t ffn_copy_shared(int warps, int stage_bytes) {
  return static_cast<std::size_t>(warps) * (stage_bytes + sizeof(std::uint64_t));
}

/// Copies one received row to the expert row of each of its experts here, and notes where they are.
__device__ inline void expand_row(const FfnCopyArgs& args, int channel, int row, char* stage,
                                  std::uint64_t* full, std::uint32_t parity) {
  const Shape& shape = args.shape;
  const auto row_bytes = static_cast<std::uint32_t>(layout::dispatch_row_bytes(shape));
  char* from = args.memory.channel_rows + layout::channel_row(shape, channel, row) * row_bytes;
  device::bulk_wait_read<0>();
  __syncwarp();
  if (lane_id() == 0) {
    device::mbarrier_expect(full, row_bytes);
    device::bulk_load(stage, from, row_bytes, full);
  }
  device::mbarrier_wait(args.watch, WordKind::row_loaded, row, full, parity);
  if (lane_id() < shape.top_k) {
    const int expert =
        reinterpret_cast<const std::int32_t*>(stage + layout::expert_offset(shape))[lane_id()];
    std::int32_t slot = -1;
    if (expert >= 0 && expert / shape.local_experts() == args.memory.ffn) {
      const int local = expert % shape.local_experts();
      slot = args.memory.expert_begin[local] + atomicAdd(&args.memory.expert_fill[local], 1);
      const auto payload = static_cast<std::uint32_t>(layout::payload_bytes(shape));
      device::bulk_store(args.memory.expert_rows + static_cast<std::size_t>(slot) * payload, stage,
                         payload);
      device::bulk_commit();
    }
    reinterpret_cast<std::int32_t*>(from + layout::slot_offset(shape))[lane_id()] = slot;
  }
  __syncwarp();
}

template <bool kStamped>
__global__ void __launch_bounds__(32 * kMostCopyWarps)
    ffn_copy(const __grid_constant__ FfnCopyArgs args) {
  extern __shared__ __align__(128) char shared[];
  const Shape& shape = args.shape;
  record_placement(args.trace);
  const int warps = static_cast<int>(blockDim.x / 32);
  auto* full =
      reinterpret_cast<std::uint64_t*>(shared + static_cast<std::size_t>(warps) * args.stage_bytes);
  if (lane_id() == 0) {
    device::mbarrier_init(full + warp_id(), 1);
    device::mbarrier_init_fence();
  }
  __syncwarp();
  unsigned most = 0;
  for (int channel = lane_id(); channel < shape.channels(); channel += 32) {
    most = max(most, layout::rows(args.memory.channel_tails[channel]));
  }
  most = __reduce_max_sync(kFullMask, most);

  // Row by row over all channels, so that the work spreads whatever the channels hold.
  char* stage = shared + static_cast<std::size_t>(warp_id()) * args.stage_bytes;
  std::uint32_t parity = 0;
  const int items = static_cast<int>(most) * shape.channels();
  for (int item = static_cast<int>(blockIdx.x) + warp_id() * static_cast<int>(gridDim.x);
       item < items; item += warps * static_cast<int>(gridDim.x)) {
    const int row = item / shape.channels();
    const int channel = item % shape.channels();
    if (row >= static_cast<int>(layout::rows(args.memory.channel_tails[channel]))) continue;
    expand_row(args, channel, row, stage, full + warp_id(), parity);
    parity ^= 1;
  }
  device::bulk_wait_all();
  __syncwarp();
}

/// F4, one CTA.
template <bool kStamped>
__global__ void __launch_bounds__(kCompleteThreads)
    ffn_complete(const __grid_constant__ FfnCopyArgs args) {
  record_placement(args.trace);
  const int threads = static_cast<int>(blockDim.x);
  for (int i = static_cast<int>(threadIdx.x); i < args.shape.channels(); i += threads) {
    args.memory.channel_tails[i] = 0;
    args.memory.reduced_tails[i] = 0;
  }
  for (int i = static_cast<int>(threadIdx.x); i < args.shape.local_experts(); i += threads) {
    args.memory.expert_fill[i] = 0;
  }
  if (threadIdx.x == 0) *args.memory.zero_arrivals = 0;
}

}  // namespace fanin::kernels::roles
