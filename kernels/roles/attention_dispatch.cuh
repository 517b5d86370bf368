// Attention kernel A1: notify warps count and post the counts; one scale-out warp a channel sends
// its tokens' rows, tails and finish. It waits for no other rank.
#pragma once

#include "fanin/kernels/device/queues.cuh"
#include "roles/dispatch_counts.cuh"
#include "roles/row_sender.cuh"

namespace fanin::kernels::roles {

/// Warps of a CTA: one scale-out warp a channel, then one a channel that loads its rows ahead of
/// it, then those that count.
FANIN_HOST_DEVICE constexpr int attention_dispatch_warps(int channels_per_sm) {
  return 2 * channels_per_sm + kNotifyWarps;
}

/// Shared memory: the rows of the scale-out warps, two mbarriers and the owners of each, then the
/// counts of this CTA.
FANIN_HOST_DEVICE constexpr std::size_t attention_dispatch_shared(const Shape& shape, int stages,
                                                                  int stage_bytes) {
  const auto rows = static_cast<std::size_t>(shape.channels_per_sm) * stages;
  return rows * (stage_bytes + 2 * sizeof(std::uint64_t) + sizeof(unsigned)) +
         static_cast<std::size_t>(shape.experts + shape.ffn_ranks) * sizeof(unsigned);
}

/// Barrier of the two warps of channel k of the CTA.
__device__ __forceinline__ void pair_sync(int k) {
  asm volatile("bar.sync %0, 64;" ::"r"(kNotifyBarrier + 1 + k) : "memory");
}

/// One scale-out warp. `rows`: args.load.stages rows in shared memory.
template <class Args, class Stamps>
__device__ void send_channel(const Args& args, int k, const char* rows, const StageSignals& signals,
                             Stamps& stamp) {
  using Transport = std::remove_const_t<decltype(args.transport)>;
  constexpr int kUnread = Transport::kStages ? 0 : 2;
  const Shape& shape = args.shape;
  const int channel = static_cast<int>(blockIdx.x) * shape.channels_per_sm + k;
  const int depth = args.load.stages;
  int token = args.load.share.first(channel);
  const int count = args.load.share.count(token);
  // The last rows' stages are not filled again.
  const int handed_back = count - depth;
  if (handed_back > 0 && lane_id() == 0) {
    for (int stage = 0; stage < depth; ++stage) device::mbarrier_init(signals.empty + stage, 1);
    device::mbarrier_init_fence();
  }
  const int queue = device::queue_of(device::dispatch_queues(shape.queues),
                                     static_cast<int>(blockIdx.x), k, shape.sms);
  RowSender<Transport> sender(args, channel, queue);
  StageCursor stage(depth, args.load.stage_bytes);
  StageCursor left(depth, args.load.stage_bytes);  // the next to be handed back
  const int unread = depth > kUnread ? kUnread : 0;
  pair_sync(k);
  for (int index = 0; index < count; ++index, stage.advance(), token += shape.channels()) {
    device::mbarrier_wait(args.watch, WordKind::row_loaded, index, signals.full + stage.index(),
                          stage.parity());
    const unsigned owners = signals.owners[stage.index()];
    sender.send(rows + stage.offset(), token, owners);
    if (owners != 0) stamp.note(Point::row_posted, index);
    if (index < unread || index - unread >= handed_back) continue;
    if (unread == kUnread) {
      sender.template leave_unread<kUnread>();
    } else {
      sender.template leave_unread<0>();
    }
    if (lane_id() == 0) device::mbarrier_arrive(signals.empty + left.index());
    left.advance();
  }
  stamp.keep();
  sender.finish(shape.options.inline_finish);
  stamp.note(Point::finish_posted, channel);
}

template <class Transport, bool kStamped>
__global__ void __launch_bounds__(32 * attention_dispatch_warps(kMaxChannelsPerSm), 1)
    attention_dispatch(const __grid_constant__ AttentionDispatchArgs<Transport> args) {
  static_assert(offsetof(AttentionDispatchArgs<Transport>, load) == 48);
  extern __shared__ __align__(128) char shared[];
  const int pairs = args.load.channels_per_sm;
  const int depth = args.load.stages;
  const int rows = pairs * depth;
  auto* full = reinterpret_cast<std::uint64_t*>(shared + rows * args.load.stage_bytes);
  auto* owners = reinterpret_cast<unsigned*>(full + 2 * rows);
  device::Stamper<kStamped> stamp(args.trace.rings);
  const int warp = warp_id();
  const int k = warp < pairs ? warp : warp - pairs;
  char* own_rows = shared + k * depth * args.load.stage_bytes;
  const StageSignals own{full + k * depth, full + rows + k * depth, owners + k * depth};
  if (warp < pairs) {
    send_channel(args, k, own_rows, own, stamp);
    if constexpr (!Transport::kStages) device::bulk_wait_all();
  } else if (warp < 2 * pairs) {
    TokenLoader loader(args.load, args.watch, args.owner_of,
                       static_cast<int>(blockIdx.x) * pairs + k, own_rows, own);
    if (lane_id() == 0) loader.start();
    __syncwarp();
    pair_sync(k);
    loader.load_all();
  } else {
    add_counts(args, owners + rows);
    if (blockIdx.x == 0) post_counts(args, stamp);
    record_placement(args.trace, 2 * 32 * pairs);
  }
  stamp.close();
}

}  // namespace fanin::kernels::roles
