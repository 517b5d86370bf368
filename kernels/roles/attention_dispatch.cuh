// Attention kernel A1: notify warps count and post the counts; one scale-out warp a channel sends
// its tokens' rows, tails and finish. It waits for no other rank.
#pragma once

#include "fanin/kernels/device/queues.cuh"
#include "fanin/kernels/device/stamper.cuh"
#include "fanin/kernels/device/transport.cuh"
#include "roles/common.cuh"
#include "roles/tail_publisher.cuh"

namespace fanin::kernels::roles {

template <class Transport>
struct AttentionDispatchArgs {
  Shape shape;
  SourceMemory memory;
  FfnPeers ffn;
  Transport transport;
  device::Watch watch;
  Trace trace;
  int stages;       ///< rows in shared memory of each scale-out warp
  int stage_bytes;  ///< a dispatch row, aligned to 128
};

/// Shared memory: the rows of the scale-out warps, one mbarrier a row, then the counts of this CTA.
FANIN_HOST_DEVICE constexpr std::size_t attention_dispatch_shared(const Shape& shape, int stages,
                                                                  int stage_bytes) {
  const auto rows = static_cast<std::size_t>(shape.channels_per_sm) * stages;
  return rows * stage_bytes + rows * sizeof(std::uint64_t) +
         static_cast<std::size_t>(shape.experts + shape.ffn_ranks) * sizeof(unsigned);
}

/// Counts this CTA's share of the tokens, by expert and by FFN rank, and adds them to the rank's
/// counts.
template <class Args>
__device__ void add_counts(const Args& args, unsigned* local) {
  const Shape& shape = args.shape;
  const int thread = static_cast<int>(threadIdx.x) - shape.channels_per_sm * 32;
  const int words = shape.experts + shape.ffn_ranks;
  for (int i = thread; i < words; i += kNotifyThreads) local[i] = 0;
  notify_sync();
  const int stride = static_cast<int>(gridDim.x) * kNotifyThreads;
  for (int token = static_cast<int>(blockIdx.x) + thread * static_cast<int>(gridDim.x);
       token < args.memory.tokens; token += stride) {
    unsigned ranks = 0;
    for (int choice = 0; choice < shape.top_k; ++choice) {
      const int expert =
          args.memory.experts[static_cast<std::size_t>(token) * shape.top_k + choice];
      if (expert < 0) continue;
      atomicAdd(&local[expert], 1u);
      ranks |= 1u << (expert / shape.local_experts());
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
  const int thread = static_cast<int>(threadIdx.x) - shape.channels_per_sm * 32;
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

/// Experts and weights of a token travel as bulk copies where their size allows.
__device__ __forceinline__ bool choices_in_bulk(const Shape& shape) {
  return shape.top_k * 4 % static_cast<int>(layout::kVector) == 0;
}

/// Waits until at most `puts` (0 … 3) of the warp's puts have their source still to read.
template <class Transport>
__device__ __forceinline__ void leave_unread(const Transport& transport, int puts) {
  switch (puts) {
    case 0: return transport.template sources_read<0>();
    case 1: return transport.template sources_read<1>();
    case 2: return transport.template sources_read<2>();
    default: return transport.template sources_read<3>();
  }
}

/// One scale-out warp. `rows`: args.stages rows in shared memory; `full`: their mbarriers.
template <class Args, class Stamps>
__device__ void send_channel(const Args& args, char* rows, std::uint64_t* full, Stamps& stamp) {
  using Transport = std::remove_const_t<decltype(args.transport)>;
  const Shape& shape = args.shape;
  const SourceMemory& memory = args.memory;
  const int lane = lane_id();
  const int k = warp_id();
  const int channel = static_cast<int>(blockIdx.x) * shape.channels_per_sm + k;
  const int queue = device::queue_of(device::dispatch_queues(shape.queues),
                                     static_cast<int>(blockIdx.x), k, shape.sms);
  const int first = shape.first_token(channel, memory.source);
  const int count = shape.tokens_on(channel, memory.source, memory.tokens);
  const auto payload = static_cast<std::uint32_t>(layout::payload_bytes(shape));
  const auto row_bytes = static_cast<std::uint32_t>(layout::dispatch_row_bytes(shape));
  const auto choice_bytes = static_cast<std::uint32_t>(shape.top_k) * 4;
  const bool bulk_choices = choices_in_bulk(shape);
  const int depth = args.stages;
  const int lag = depth / 2;

  const auto prefetch = [&](int index) {
    if (index >= count) return;
    const std::size_t token =
        static_cast<std::size_t>(first) + static_cast<std::size_t>(index) * shape.channels();
    char* row = rows + static_cast<std::size_t>(index % depth) * args.stage_bytes;
    std::uint64_t* barrier = full + index % depth;
    if (lane == 0) {
      device::mbarrier_expect(barrier, payload + (bulk_choices ? 2 * choice_bytes : 0));
      device::bulk_load(row, memory.input + token * payload, payload, barrier);
    }
    const std::size_t choices = token * shape.top_k;
    if (bulk_choices) {
      if (lane == 0) {
        device::bulk_load(row + layout::expert_offset(shape), memory.experts + choices,
                          choice_bytes, barrier);
        device::bulk_load(row + layout::weight_offset(shape), memory.weights + choices,
                          choice_bytes, barrier);
      }
    } else {
      if (lane < shape.top_k) {
        const int field = lane * 4;
        device::copy4_async(row + layout::expert_offset(shape) + field,
                            memory.experts + choices + lane);
        device::copy4_async(row + layout::weight_offset(shape) + field,
                            memory.weights + choices + lane);
      }
      device::async_copies_arrive(barrier);
    }
  };

  int sent = 0;  // lane f: rows sent to FFN rank f
  TailPublisher<Transport> tails(args.transport, queue);
  for (int index = 0; index < depth; ++index) prefetch(index);
  for (int index = 0; index < count; ++index) {
    const int token = first + index * shape.channels();
    char* row = rows + static_cast<std::size_t>(index % depth) * args.stage_bytes;
    device::mbarrier_wait(full + index % depth, static_cast<std::uint32_t>(index / depth) % 2);
    int expert = -1;
    if (lane < shape.top_k) {
      expert = reinterpret_cast<const std::int32_t*>(row + layout::expert_offset(shape))[lane];
      reinterpret_cast<std::int32_t*>(row + layout::slot_offset(shape))[lane] = -1;
    }
    if (lane == 0) *reinterpret_cast<std::int32_t*>(row + layout::token_offset(shape)) = token;
    unsigned owners =
        __reduce_or_sync(kFullMask, expert < 0 ? 0u : 1u << (expert / shape.local_experts()));
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
      const int position = __shfl_sync(kFullMask, sent, ffn);
      char* target = args.ffn.inbox[ffn].rows +
                     layout::inbox_row(shape, memory.source, channel, position) * row_bytes;
      if constexpr (Transport::kStages) {
        args.transport.put(queue, ffn, target, source, row_bytes, device::Doorbell::later);
      } else {
        args.transport.put_shared(queue, ffn, target, source, row_bytes, device::Doorbell::later);
      }
      stamp(Point::row_posted, position);
      if (lane == ffn) ++sent;
      tails.row_sent();
      if ((position + 1) % shape.tail_interval == 0) {
        tails.publish(ffn,
                      args.ffn.inbox[ffn].tails + layout::tail_word(shape, channel, memory.source),
                      layout::pack2(0, static_cast<std::uint32_t>(shape.tail_interval)));
      }
      __syncwarp();
    }

    // Refill the stage whose row has left. Direct puts may still be reading the last rows' stages,
    // so the refill stays some rows behind.
    if constexpr (Transport::kStages) {
      prefetch(index + depth);
    } else {
      leave_unread(args.transport, travels ? lag : 0);
      if (index >= lag) prefetch(index - lag + depth);
    }
  }

  tails.flush();
  args.transport.order_puts();
  if (lane < shape.ffn_ranks) {
    Word* tail = args.ffn.inbox[lane].tails + layout::tail_word(shape, channel, memory.source);
    if (shape.options.inline_finish && sent == 0) {
      args.transport.put_value(queue, lane, tail, layout::pack2(1, 0));
    } else {
      args.transport.add(queue, lane, tail,
                         layout::pack2(1, static_cast<std::uint32_t>(sent % shape.tail_interval)));
    }
  }
  __syncwarp();
  stamp(Point::finish_posted, channel);
}

template <class Transport, bool kStamped>
__global__ void __launch_bounds__(32 * (kMaxChannelsPerSm + kNotifyWarps), 1)
    attention_dispatch(const __grid_constant__ AttentionDispatchArgs<Transport> args) {
  extern __shared__ __align__(128) char shared[];
  const Shape& shape = args.shape;
  const int rows = shape.channels_per_sm * args.stages;
  auto* full =
      reinterpret_cast<std::uint64_t*>(shared + static_cast<std::size_t>(rows) * args.stage_bytes);
  device::Stamper<kStamped> stamp(args.trace.rings);
  record_placement(args.trace);
  stamp(Point::kernel_start, 0);
  if (warp_id() < shape.channels_per_sm) {
    char* own_rows = shared + static_cast<std::size_t>(warp_id()) * args.stages * args.stage_bytes;
    std::uint64_t* own_full = full + warp_id() * args.stages;
    if (lane_id() == 0) {
      // The expectation of the bulk copies, and the lanes' own copies of the choices.
      const std::uint32_t arrivals = choices_in_bulk(shape) ? 1 : 1 + 32;
      for (int stage = 0; stage < args.stages; ++stage)
        device::mbarrier_init(own_full + stage, arrivals);
      device::mbarrier_init_fence();
    }
    __syncwarp();
    send_channel(args, own_rows, own_full, stamp);
    if constexpr (!Transport::kStages) device::bulk_wait_all();
  } else {
    add_counts(args, reinterpret_cast<unsigned*>(full + rows));
    if (blockIdx.x == 0) post_counts(args, stamp);
  }
  stamp(Point::kernel_end, 0);
  stamp.close();
}

}  // namespace fanin::kernels::roles
