// Attention kernel A1: notify warps count and post the counts; one scale-out warp a channel sends
// its tokens' rows, tails and finish. It waits for no other rank.
#pragma once

#include "fanin/kernels/device/queues.cuh"
#include "fanin/kernels/device/stamper.cuh"
#include "fanin/kernels/device/transport.cuh"
#include "roles/common.cuh"
#include "roles/tail_publisher.cuh"
#include "roles/token_loader.cuh"

namespace fanin::kernels::roles {

template <class Transport>
struct AttentionDispatchArgs {
  // What the first loads need comes first: a warp waits for each line of arguments that it is the
  // first to read.
  int stages;       ///< rows in shared memory of each scale-out warp
  int stage_bytes;  ///< a dispatch row, aligned to 128
  Shape shape;
  SourceMemory memory;
  Transport transport;
  device::Watch watch;
  Trace trace;
  FfnPeers ffn;
};

/// Warps of a CTA: one scale-out warp a channel, then one a channel that loads its rows ahead of
/// it, then those that count.
FANIN_HOST_DEVICE constexpr int attention_dispatch_warps(int channels_per_sm) {
  return 2 * channels_per_sm + kNotifyWarps;
}

/// Shared memory: the rows of the scale-out warps, two mbarriers a row, then the counts of this
/// CTA.
FANIN_HOST_DEVICE constexpr std::size_t attention_dispatch_shared(const Shape& shape, int stages,
                                                                  int stage_bytes) {
  const auto rows = static_cast<std::size_t>(shape.channels_per_sm) * stages;
  return rows * stage_bytes + 2 * rows * sizeof(std::uint64_t) +
         static_cast<std::size_t>(shape.experts + shape.ffn_ranks) * sizeof(unsigned);
}

/// Counts this CTA's share of the tokens, by expert and by FFN rank, and adds them to the rank's
/// counts.
template <class Args>
__device__ void add_counts(const Args& args, unsigned* local) {
  const Shape& shape = args.shape;
  constexpr int kChoicesAhead = 8;
  const int thread = static_cast<int>(threadIdx.x) - 2 * shape.channels_per_sm * 32;
  const int words = shape.experts + shape.ffn_ranks;
  const OwnerOf owner_of(shape);
  for (int i = thread; i < words; i += kNotifyThreads) local[i] = 0;
  notify_sync();
  const int stride = static_cast<int>(gridDim.x) * kNotifyThreads;
  for (int token = static_cast<int>(blockIdx.x) + thread * static_cast<int>(gridDim.x);
       token < args.memory.tokens; token += stride) {
    const std::int32_t* experts =
        args.memory.experts + static_cast<std::size_t>(token) * shape.top_k;
    unsigned ranks = 0;
    for (int first = 0; first < shape.top_k; first += kChoicesAhead) {
      // All loads before the first add, so that they wait together.
      int expert[kChoicesAhead];
#pragma unroll
      for (int i = 0; i < kChoicesAhead; ++i) {
        expert[i] = first + i < shape.top_k ? __ldg(experts + first + i) : -1;
      }
#pragma unroll
      for (int i = 0; i < kChoicesAhead; ++i) {
        if (expert[i] < 0) continue;
        atomicAdd(&local[expert[i]], 1u);
        ranks |= 1u << owner_of(expert[i]);
      }
    }
    for (; ranks != 0; ranks &= ranks - 1) atomicAdd(&local[shape.experts + __ffs(ranks) - 1], 1u);
  }
  notify_sync();
  for (int i = thread; i < words; i += kNotifyThreads) {
    if (local[i] != 0) atomicAdd(&args.memory.counts[i], local[i]);
  }
  __threadfence();
  notify_sync();
  if (thread == 0) device::add_release<device::Scope::gpu>(args.memory.count_arrivals, 1);
}

/// CTA 0: once all CTAs have added, writes the message of each FFN rank and posts its two WRITEs.
template <class Args, class Stamps>
__device__ void post_counts(const Args& args, Stamps& stamp) {
  const Shape& shape = args.shape;
  const int thread = static_cast<int>(threadIdx.x) - 2 * shape.channels_per_sm * 32;
  if (thread == 0) {
    const Word all = gridDim.x;
    wait_until(
        args.watch, WordKind::expert_counts, 0, all,
        [&] { return device::load_acquire<device::Scope::gpu>(args.memory.count_arrivals); },
        [&](Word seen) { return seen >= all; });
  }
  notify_sync();
  const auto words = layout::count_words(shape);
  for (int i = thread; i < static_cast<int>(words) * shape.ffn_ranks; i += kNotifyThreads) {
    const int ffn = i / static_cast<int>(words);
    const int word = i % static_cast<int>(words);
    const int expert = word - static_cast<int>(layout::kRankCountWords);
    unsigned count = 0;
    if (word == 0) {
      count = __ldcg(&args.memory.counts[shape.experts + ffn]);
    } else if (expert >= 0 && expert < shape.local_experts()) {
      count = __ldcg(&args.memory.counts[ffn * shape.local_experts() + expert]);
    }
    args.memory.count_message[i] = count + 1;
  }
  __threadfence();
  notify_sync();
  if (thread >= 32) return;
  for (int ffn = 0; ffn < shape.ffn_ranks; ++ffn) {
    const Word* message = args.memory.count_message + ffn * words;
    Word* inbox = args.ffn.inbox[ffn].counts + args.memory.source * words;
    args.transport.put(0, ffn, inbox, message, layout::kRankCountWords * sizeof(Word),
                       device::Doorbell::now);
    args.transport.put(0, ffn, inbox + layout::kRankCountWords, message + layout::kRankCountWords,
                       static_cast<std::uint32_t>(layout::expert_count_words(shape) * sizeof(Word)),
                       device::Doorbell::now);
  }
  stamp(Point::counts_posted, shape.ffn_ranks);
}

/// Waits until all but the last `puts` (0 … 3) of the warp's puts have had their source read.
template <class Transport>
__device__ __forceinline__ void leave_unread(const Transport& transport, int puts) {
  switch (puts) {
    case 0: return transport.template sources_read<0>();
    case 1: return transport.template sources_read<1>();
    case 2: return transport.template sources_read<2>();
    default: return transport.template sources_read<3>();
  }
}

/// The mbarriers of one channel's stages: `full` once a row has been loaded, `empty` once it has
/// left.
struct StageBarriers {
  std::uint64_t* full;
  std::uint64_t* empty;
};

/// Barrier of the two warps of one channel of the CTA.
__device__ __forceinline__ void pair_sync(int k) {
  asm volatile("bar.sync %0, 64;" ::"r"(kNotifyBarrier + 1 + k) : "memory");
}

/// The warp that loads a channel's rows, into each stage as soon as it is empty.
template <class Args>
__device__ void load_channel(const Args& args, char* rows, const StageBarriers& barriers,
                             int channel) {
  const Shape& shape = args.shape;
  const SourceMemory& memory = args.memory;
  const int count = shape.tokens_on(channel, memory.source, memory.tokens);
  TokenLoader loader(shape, memory, channel, count, rows, args.stage_bytes, barriers.full,
                     args.stages);
  StageCursor stage(args.stages, args.stage_bytes);
  for (int index = 0; index < count; ++index, stage.advance()) {
    if (index >= args.stages) {
      device::mbarrier_wait(barriers.empty + stage.index(), stage.parity() ^ 1);
    }
    loader.load_next();
  }
}

/// Where each lane f stands with FFN rank f. Counted up row by row: the loop over a channel's
/// tokens has few warps to hide its arithmetic, so it does without multiplications and divisions.
struct SendCursor {
  char* target = nullptr;  ///< of the next row
  Word* tail = nullptr;
  int sent = 0;
  int untold = 0;  ///< rows since the last tail update
};

/// One scale-out warp. `rows`: args.stages rows in shared memory.
template <class Args, class Stamps>
__device__ void send_channel(const Args& args, char* rows, const StageBarriers& barriers,
                             Stamps& stamp) {
  using Transport = std::remove_const_t<decltype(args.transport)>;
  const Shape& shape = args.shape;
  const SourceMemory& memory = args.memory;
  const int lane = lane_id();
  const int k = warp_id();
  const int channel = static_cast<int>(blockIdx.x) * shape.channels_per_sm + k;
  const int count = shape.tokens_on(channel, memory.source, memory.tokens);
  const int depth = args.stages;
  const int queue = device::queue_of(device::dispatch_queues(shape.queues),
                                     static_cast<int>(blockIdx.x), k, shape.sms);
  const auto row_bytes = static_cast<std::uint32_t>(layout::dispatch_row_bytes(shape));
  const std::size_t slot_at = layout::slot_offset(shape) + static_cast<std::size_t>(lane) * 4;
  const std::size_t expert_at = layout::expert_offset(shape) + static_cast<std::size_t>(lane) * 4;
  const std::size_t token_at = layout::token_offset(shape);
  const OwnerOf owner_of(shape);
  const bool chooses = lane < shape.top_k;
  const int interval = shape.tail_interval;
  const int lag = depth / 2;

  SendCursor own;
  if (lane < shape.ffn_ranks) {
    const FfnInbox& inbox = args.ffn.inbox[lane];
    own.target = inbox.rows + layout::inbox_row(shape, memory.source, channel, 0) * row_bytes;
    own.tail = inbox.tails + layout::tail_word(shape, channel, memory.source);
  }
  TailPublisher<Transport> tails(args.transport, queue);
  StageCursor stage(depth, args.stage_bytes);
  StageCursor left(depth, args.stage_bytes);  // the next to be handed back
  int token = shape.first_token(channel, memory.source);
  for (int index = 0; index < count; ++index, stage.advance(), token += shape.channels()) {
    char* row = rows + stage.offset();
    device::mbarrier_wait(barriers.full + stage.index(), stage.parity());
    int expert = -1;
    if (chooses) {
      expert = *reinterpret_cast<const std::int32_t*>(row + expert_at);
      *reinterpret_cast<std::int32_t*>(row + slot_at) = -1;
    }
    if (lane == 0) *reinterpret_cast<std::int32_t*>(row + token_at) = token;
    unsigned owners = __reduce_or_sync(kFullMask, expert < 0 ? 0u : 1u << owner_of(expert));
    const bool travels = owners != 0;
    device::fence_proxy_async_shared();
    __syncwarp();

    const char* source = row;
    if constexpr (Transport::kStages) {
      char* slot = memory.staging + static_cast<std::size_t>(token) * row_bytes;
      if (lane == 0) {
        device::bulk_store(slot, row, row_bytes);
        device::bulk_commit();
        device::bulk_wait_all();
      }
      __syncwarp();
      source = slot;
    }
    for (; owners != 0; owners &= owners - 1) {
      const int ffn = __ffs(owners) - 1;
      auto* target = shuffle_pointer(own.target, ffn);
      if constexpr (Transport::kStages) {
        args.transport.put(queue, ffn, target, source, row_bytes, device::Doorbell::later);
      } else {
        args.transport.put_shared(queue, ffn, target, source, row_bytes, device::Doorbell::later);
      }
      stamp(Point::row_posted, index);
      if (lane == ffn) {
        own.target += row_bytes;
        ++own.sent;
        ++own.untold;
      }
      tails.row_sent();
      if (__shfl_sync(kFullMask, own.untold, ffn) == interval) {
        tails.publish(ffn, shuffle_pointer(own.tail, ffn),
                      layout::pack2(0, static_cast<std::uint32_t>(interval)));
        if (lane == ffn) own.untold = 0;
      }
      __syncwarp();
    }

    // Direct puts may still be reading the last rows' stages, so a stage is handed back some rows
    // later.
    if constexpr (Transport::kStages) {
      if (lane == 0) device::mbarrier_arrive(barriers.empty + stage.index());
    } else {
      leave_unread(args.transport, travels ? lag : 0);
      if (index >= lag) {
        if (lane == 0) device::mbarrier_arrive(barriers.empty + left.index());
        left.advance();
      }
    }
  }

  args.transport.order_puts();
  tails.flush_ordered();
  if (lane < shape.ffn_ranks) {
    if (shape.options.inline_finish && own.sent == 0) {
      args.transport.put_value(queue, lane, own.tail, layout::pack2(1, 0));
    } else {
      args.transport.add_ordered(queue, lane, own.tail,
                                 layout::pack2(1, static_cast<std::uint32_t>(own.untold)));
    }
  }
  __syncwarp();
  stamp(Point::finish_posted, channel);
}

template <class Transport, bool kStamped>
__global__ void __launch_bounds__(32 * attention_dispatch_warps(kMaxChannelsPerSm), 1)
    attention_dispatch(const __grid_constant__ AttentionDispatchArgs<Transport> args) {
  extern __shared__ __align__(128) char shared[];
  const Shape& shape = args.shape;
  const int rows = shape.channels_per_sm * args.stages;
  auto* barriers =
      reinterpret_cast<std::uint64_t*>(shared + static_cast<std::size_t>(rows) * args.stage_bytes);
  device::Stamper<kStamped> stamp(args.trace.rings);
  record_placement(args.trace);
  const int k = warp_id() % shape.channels_per_sm;
  char* own_rows = shared + static_cast<std::size_t>(k) * args.stages * args.stage_bytes;
  const StageBarriers own{barriers + k * args.stages, barriers + rows + k * args.stages};
  if (warp_id() < shape.channels_per_sm) {
    pair_sync(k);
    send_channel(args, own_rows, own, stamp);
    if constexpr (!Transport::kStages) device::bulk_wait_all();
  } else if (warp_id() < 2 * shape.channels_per_sm) {
    if (lane_id() < args.stages) {
      device::mbarrier_init(own.full + lane_id(), TokenLoader::arrivals(shape));
      device::mbarrier_init(own.empty + lane_id(), 1);
      device::mbarrier_init_fence();
    }
    __syncwarp();
    pair_sync(k);
    load_channel(args, own_rows, own, static_cast<int>(blockIdx.x) * shape.channels_per_sm + k);
  } else {
    add_counts(args, reinterpret_cast<unsigned*>(barriers + 2 * rows));
    if (blockIdx.x == 0) post_counts(args, stamp);
  }
  stamp.close();
}

}  // namespace fanin::kernels::roles
