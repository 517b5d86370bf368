// FFN kernel F1: entry barrier; notify warps wait for the counts of all sources; one forward warp a
// channel polls the sources' tails and forwards their rows inside the domain; exit barrier.
#pragma once

#include "fanin/kernels/device/stamper.cuh"
#include "roles/rail_dispatch.cuh"

namespace fanin::kernels::roles {

struct FfnDispatchArgs {
  static constexpr bool kRails = false;  ///< several GPUs a domain
  Shape shape;
  FfnMemory memory;
  device::Watch watch;
  Trace trace;
  int stage_bytes;  ///< a dispatch row, aligned to 128
};

/// shape: rail_view.
struct RailDispatchArgs : FfnDispatchArgs {
  static constexpr bool kRails = true;
  Domain domain;
};

/// Shared memory: one row and one mbarrier a forward warp, then the expert counts.
FANIN_HOST_DEVICE constexpr std::size_t ffn_dispatch_shared(const Shape& shape, int stage_bytes) {
  return static_cast<std::size_t>(shape.channels_per_sm) * (stage_bytes + sizeof(std::uint64_t)) +
         static_cast<std::size_t>(shape.local_experts() + 1) * sizeof(unsigned);
}

/// The FFN's own counts are zero; the baseline reduces them over its CTAs all the same.
__device__ inline void reduce_zero_counts(const FfnDispatchArgs& args, int thread) {
  for (int i = thread; i < args.shape.experts; i += kNotifyThreads) {
    asm volatile("red.relaxed.gpu.global.add.u32 [%0], 0;" ::"l"(args.memory.zero_counts + i)
                 : "memory");
  }
  __threadfence();
  notify_sync();
  if (thread != 0) return;
  device::add_release<device::Scope::gpu>(args.memory.zero_arrivals, 1);
  if (blockIdx.x != 0) return;
  const Word all = gridDim.x;
  wait_until(
      args.watch, WordKind::expert_counts, 0, all,
      [&] { return device::load_acquire<device::Scope::gpu>(args.memory.zero_arrivals); },
      [&](Word seen) { return seen >= all; });
}

/// Exclusive prefix sum of counts[0 … n) in place, the total at counts[n]. One warp.
__device__ inline void exclusive_prefix(unsigned* counts, int n) {
  unsigned carry = 0;
  for (int base = 0; base < n; base += 32) {
    const int i = base + lane_id();
    const unsigned own = i < n ? counts[i] : 0;
    unsigned sum = own;
    for (int step = 1; step < 32; step *= 2) {
      const unsigned other = __shfl_up_sync(kFullMask, sum, step);
      if (lane_id() >= step) sum += other;
    }
    if (i < n) counts[i] = carry + sum - own;
    carry += __shfl_sync(kFullMask, sum, 31);
  }
  if (lane_id() == 0) counts[n] = carry;
}

/// CTA 0: waits for every count word of every source, clears them, and places the experts' rows.
template <device::Scope kScope, class Args, class Stamps>
__device__ void gather_counts(const Args& args, unsigned* totals, int thread, Stamps& stamp) {
  const Shape& shape = args.shape;
  int local = shape.local_experts();
  for (int i = thread; i <= local; i += kNotifyThreads) totals[i] = 0;
  notify_sync();
  const int words = static_cast<int>(layout::count_words(shape));
  for (int i = thread; i < shape.sources * words; i += kNotifyThreads) {
    Word* word = args.memory.inbox.counts + i;
    Word value = 0;
    wait_until(
        args.watch, WordKind::source_counts, i, 1,
        [&] { return value = device::load_acquire<kScope>(word); },
        [](Word seen) { return seen != 0; });
    *word = 0;
    const int expert = i % words - static_cast<int>(layout::kRankCountWords);
    if (expert >= 0 && expert < local && value > 1) {
      atomicAdd(&totals[expert], static_cast<unsigned>(value - 1));
    }
  }
  notify_sync();
  if constexpr (Args::kRails) {
    share_counts<kScope>(args, totals, thread);
    local = args.domain.local_experts;
  }
  if (thread < 32) exclusive_prefix(totals, local);
  notify_sync();
  for (int i = thread; i <= local; i += kNotifyThreads) {
    args.memory.expert_begin[i] = static_cast<std::int32_t>(totals[i]);
  }
  stamp.note(Point::counts_seen, shape.sources);
}

/// The serial chain of one row: load it, store it to its place in the domain, wait for the store.
template <class Stamps>
__device__ void forward_row(const FfnDispatchArgs& args, int channel, int source, int slot, int row,
                            char* stage, std::uint64_t* full, std::uint32_t parity, Stamps& stamp) {
  const Shape& shape = args.shape;
  const auto row_bytes = static_cast<std::uint32_t>(layout::dispatch_row_bytes(shape));
  if (lane_id() == 0) {
    device::mbarrier_expect(full, row_bytes);
    device::bulk_load(
        stage, args.memory.inbox.rows + layout::inbox_row(shape, source, channel, slot) * row_bytes,
        row_bytes, full);
  }
  stamp.keep();
  device::mbarrier_wait(args.watch, WordKind::row_loaded, row, full, parity);
  if (lane_id() == 0) {
    const std::size_t place = layout::channel_row(shape, channel, row);
    const int token = *reinterpret_cast<const std::int32_t*>(stage + layout::token_offset(shape));
    args.memory.origins[place] = {source, token};
    device::bulk_store(args.memory.channel_rows + place * row_bytes, stage, row_bytes);
    device::bulk_commit();
    device::bulk_wait_all();
  }
  __syncwarp();
}

/// One forward warp: lane s holds the state of source s.
template <device::Scope kScope, class Args, class Stamps>
__device__ void forward_channel(const Args& args, char* stage, std::uint64_t* full, Stamps& stamp) {
  const Shape& shape = args.shape;
  const int lane = lane_id();
  const int channel = static_cast<int>(blockIdx.x) * shape.channels_per_sm + warp_id();
  Word* tail_word =
      args.memory.inbox.tails + layout::tail_word(shape, channel, min(lane, shape.sources - 1));
  Word tail = 0;
  int taken = 0;
  bool open = lane < shape.sources;
  int written = 0;
  int sent = 0;  // lane i: rows sent to GPU i of the domain, where it has several
  int pick = shape.sources - 1;
  std::uint32_t parity = 0;
  std::uint64_t idle_since = 0;
  int idle_passes = 0;
  while (true) {
    if (open) tail = device::load_acquire<kScope>(tail_word);
    const unsigned still_open = __ballot_sync(kFullMask, open);
    if (still_open == 0) break;
    unsigned choice = still_open;
    if (shape.options.ready_first) {
      const bool news =
          open && (static_cast<int>(layout::rows(tail)) > taken || layout::finishes(tail) != 0);
      const unsigned ready = __ballot_sync(kFullMask, news);
      if (ready != 0) choice = ready;
    }
    const unsigned after = choice & ~((2u << pick) - 1);
    pick = __ffs(after != 0 ? after : choice) - 1;
    const int arrived = static_cast<int>(layout::rows(__shfl_sync(kFullMask, tail, pick)));
    const int begin = __shfl_sync(kFullMask, taken, pick);
    const bool finished = layout::finishes(__shfl_sync(kFullMask, tail, pick)) != 0;
    if (arrived == begin && !finished) {
      if (++idle_passes % 256 != 0) continue;
      const std::uint64_t now = device::global_ns();
      if (idle_passes == 256) idle_since = now;
      if (args.watch.given_up()) break;
      if (now - idle_since > args.watch.limit_ns) {
        args.watch.stalled(WordKind::tail,
                           static_cast<std::int64_t>(layout::tail_word(shape, channel, pick)),
                           layout::pack2(1, 0), __shfl_sync(kFullMask, tail, pick));
        break;
      }
      continue;
    }
    idle_passes = 0;
    stamp.note(Point::tail_seen, pick);
    device::fence_proxy_async();
    __syncwarp();
    for (int slot = begin; slot < arrived; ++slot) {
      if constexpr (Args::kRails) {
        forward_to_members(args, channel, pick, slot, written, sent, stage, full, parity, stamp);
      } else {
        forward_row(args, channel, pick, slot, written, stage, full, parity, stamp);
      }
      parity ^= 1;
      stamp.note(Point::row_forwarded, written);
      ++written;
    }
    if (lane == pick) {
      taken = arrived;
      if (finished) open = false;
    }
  }
  // End of list to the GPUs of the domain, then the tails are free again.
  if constexpr (Args::kRails) {
    end_lists<kScope>(args, channel, written, sent);
  } else if (lane == 0) {
    device::store_release<kScope>(args.memory.channel_tails + channel,
                                  layout::pack2(1, static_cast<std::uint32_t>(written)));
  }
  if (lane < shape.sources) *tail_word = 0;
  __syncwarp();
  stamp.note(Point::channel_done, channel);
}

/// Args: FfnDispatchArgs or RailDispatchArgs.
template <class Args, device::Scope kScope, bool kStamped>
__global__ void __launch_bounds__(32 * (kMaxChannelsPerSm + kNotifyWarps), 1)
    ffn_dispatch(const __grid_constant__ Args args) {
  extern __shared__ __align__(128) char shared[];
  const Shape& shape = args.shape;
  auto* full = reinterpret_cast<std::uint64_t*>(
      shared + static_cast<std::size_t>(shape.channels_per_sm) * args.stage_bytes);
  device::Stamper<kStamped> stamp(args.trace.rings);
  record_placement(args.trace);
  if (threadIdx.x == 0 && blockIdx.x == 0) domain_barrier_of<kScope>(args);
  grid_barrier(args.memory.grid_arrivals, args.watch);
  if (warp_id() < shape.channels_per_sm) {
    if (lane_id() == 0) {
      device::mbarrier_init(full + warp_id(), 1);
      device::mbarrier_init_fence();
    }
    __syncwarp();
    forward_channel<kScope>(args, shared + static_cast<std::size_t>(warp_id()) * args.stage_bytes,
                            full + warp_id(), stamp);
  } else {
    const int thread = static_cast<int>(threadIdx.x) - shape.channels_per_sm * 32;
    if (!shape.options.skip_zero_counts) reduce_zero_counts(args, thread);
    if (blockIdx.x == 0) {
      gather_counts<kScope>(args, reinterpret_cast<unsigned*>(full + shape.channels_per_sm), thread,
                            stamp);
    }
  }
  grid_barrier(args.memory.grid_arrivals, args.watch);
  if (threadIdx.x == 0 && blockIdx.x == 0) domain_barrier_of<kScope>(args);
  stamp.close();
}

}  // namespace fanin::kernels::roles
