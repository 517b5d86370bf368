// FFN kernel F3: entry barrier; a scale-up warp a channel reduces each token's expert rows and
// sends the result inside the domain; a forward warp a channel returns the rows to their sources,
// then posts the finishes. The kernel does not wait for its puts.
#pragma once

#include "fanin/kernels/device/queues.cuh"
#include "fanin/kernels/device/stamper.cuh"
#include "fanin/kernels/device/transport.cuh"
#include "roles/rail_combine.cuh"

namespace fanin::kernels::roles {

template <class Transport>
struct FfnCombineArgs {
  static constexpr bool kRails = false;  ///< several GPUs a domain
  Shape shape;
  FfnMemory memory;
  SourcePeers sources;
  Transport transport;
  device::Watch watch;
  Trace trace;
  int stage_bytes;  ///< a combine row, aligned to 128
};

/// shape: rail_view; memory.ffn: the number of the domain.
template <class Transport>
struct RailCombineArgs : FfnCombineArgs<Transport> {
  static constexpr bool kRails = true;
  Domain domain;
};

/// Shared memory: one row and one mbarrier a forward warp.
FANIN_HOST_DEVICE constexpr std::size_t ffn_combine_shared(const Shape& shape, int stage_bytes) {
  return static_cast<std::size_t>(shape.channels_per_sm) * (stage_bytes + sizeof(std::uint64_t));
}

/// Weighted sum of the expert rows that lanes 0, 1, … name by `slot` (−1: none), in the order of
/// the lanes. The loads of a batch are all under way before the first is used.
__device__ inline void sum_expert_rows(const char* expert_rows, std::size_t payload, int slot,
                                       float weight, char* out) {
  constexpr int kRows = 8;
  constexpr int kParts = 2;
  const int vectors = static_cast<int>(payload / layout::kVector);
  const unsigned present = __ballot_sync(kFullMask, slot >= 0);
  for (int base = 0; base < vectors; base += 32 * kParts) {
    Sum8 sum[kParts];
    for (unsigned left = present; left != 0;) {
      uint4 part[kRows][kParts];
      float scale[kRows];
      bool valid[kRows];
#pragma unroll
      for (int r = 0; r < kRows; ++r) {
        valid[r] = left != 0;
        const int choice = valid[r] ? __ffs(left) - 1 : 0;
        left &= left - 1;
        const int from = __shfl_sync(kFullMask, slot, choice);
        scale[r] = __shfl_sync(kFullMask, weight, choice);
        const auto* row = reinterpret_cast<const uint4*>(
            expert_rows + static_cast<std::size_t>(valid[r] ? from : 0) * payload);
#pragma unroll
        for (int p = 0; p < kParts; ++p) {
          const int v = base + 32 * p + lane_id();
          if (valid[r] && v < vectors) part[r][p] = __ldg(row + v);
        }
      }
#pragma unroll
      for (int r = 0; r < kRows; ++r) {
        if (!valid[r]) continue;
#pragma unroll
        for (int p = 0; p < kParts; ++p) sum[p].add(part[r][p], scale[r]);
      }
    }
#pragma unroll
    for (int p = 0; p < kParts; ++p) {
      const int v = base + 32 * p + lane_id();
      if (v < vectors) reinterpret_cast<uint4*>(out)[v] = sum[p].packed();
    }
  }
}

/// Sums the expert rows of one received row, weighted, in the order of the choices, into
/// `reduced`.
template <class Args>
__device__ void reduce_row(const Args& args, std::size_t place, char* reduced) {
  const Shape& shape = args.shape;
  const std::size_t payload = layout::payload_bytes(shape);
  const char* received = args.memory.channel_rows + place * layout::dispatch_row_bytes(shape);
  int slot = -1;
  float weight = 0.0f;
  if (lane_id() < shape.top_k) {
    slot = reinterpret_cast<const std::int32_t*>(received + layout::slot_offset(shape))[lane_id()];
    weight = reinterpret_cast<const float*>(received + layout::weight_offset(shape))[lane_id()];
    const int expert =
        reinterpret_cast<const std::int32_t*>(received + layout::expert_offset(shape))[lane_id()];
    const uint2 choice{static_cast<unsigned>(slot < 0 ? -1 : expert), __float_as_uint(weight)};
    *reinterpret_cast<uint2*>(reduced + layout::choice_offset(shape, lane_id())) = choice;
  }
  sum_expert_rows(args.memory.expert_rows, payload, slot, weight, reduced);
  __syncwarp();
}

/// Expert side: one row to the rail's GPU a round; a tail every few rounds and at the end.
template <device::Scope kScope, class Args>
__device__ void send_reduced(const Args& args, int channel) {
  const Shape& shape = args.shape;
  const int count = static_cast<int>(layout::rows(args.memory.channel_tails[channel]));
  int published = 0;
  for (int row = 0; row < count; ++row) {
    const std::size_t place = layout::channel_row(shape, channel, row);
    reduce_row(args, place, args.memory.reduced_rows + place * layout::combine_row_bytes(shape));
    const bool last = row + 1 == count;
    if (!last && (row + 1) % shape.scale_up_interval != 0) continue;
    if (lane_id() == 0) {
      device::add_release<kScope>(
          args.memory.reduced_tails + channel,
          layout::pack2(last ? 1 : 0, static_cast<std::uint32_t>(row + 1 - published)));
    }
    published = row + 1;
  }
}

/// Sends one reduced row, already in `stage`, to its source.
template <class Args>
__device__ void return_row(const Args& args, int queue, const layout::Origin& origin,
                           std::size_t place, const char* stage) {
  using Transport = std::remove_const_t<decltype(args.transport)>;
  const Shape& shape = args.shape;
  const auto row_bytes = static_cast<std::uint32_t>(layout::combine_row_bytes(shape));
  const int peer = shape.rank_of_source(origin.source);
  char* target = args.sources.inbox[origin.source].rows +
                 layout::returned_row(shape, args.memory.ffn, origin.token) * row_bytes;
  if constexpr (Transport::kStages) {
    char* slot = args.memory.staging + place * row_bytes;
    if (lane_id() == 0) {
      device::bulk_store(slot, stage, row_bytes);
      device::bulk_commit();
      device::bulk_wait_all();
    }
    __syncwarp();
    args.transport.put(queue, peer, target, slot, row_bytes, device::Doorbell::now);
  } else {
    if (lane_id() == 0) {
      args.transport.put_shared(queue, peer, target, stage, row_bytes, device::Doorbell::now);
    }
    args.transport.template sources_read<0>();
  }
}

/// One finish a source; lane s: `sent` rows went to source s.
template <class Args>
__device__ __forceinline__ void post_finishes(const Args& args, int queue, int channel, int sent) {
  const Shape& shape = args.shape;
  const int lane = lane_id();
  args.transport.order_puts();
  if (lane < shape.sources) {
    Word* finish =
        args.sources.inbox[lane].finishes + layout::finish_word(shape, args.memory.ffn, channel);
    const int peer = shape.rank_of_source(lane);
    const Word value = layout::pack2(1, static_cast<std::uint32_t>(sent));
    if (shape.options.inline_finish && sent == 0) {
      args.transport.put_value(queue, peer, finish, value);
    } else {
      args.transport.add_ordered(queue, peer, finish, value);
    }
  }
  __syncwarp();
}

/// Forward warp of the combine: rows in the order of arrival, then one finish a source.
template <device::Scope kScope, class Args, class Stamps>
__device__ void return_channel(const Args& args, int channel, int k, char* stage,
                               std::uint64_t* full, Stamps& stamp) {
  const Shape& shape = args.shape;
  const int lane = lane_id();
  const int queue = device::queue_of(device::combine_queues(shape.queues),
                                     static_cast<int>(blockIdx.x), k, shape.sms);
  const auto row_bytes = static_cast<std::uint32_t>(layout::combine_row_bytes(shape));
  const int count = static_cast<int>(layout::rows(args.memory.channel_tails[channel]));
  int ready = 0;
  int sent = 0;  // lane s: rows returned to source s
  for (int row = 0; row < count; ++row) {
    if (ready <= row) {
      Word tail = 0;
      const bool arrived = wait_until(
          args.watch, WordKind::scale_up_tail, channel, static_cast<Word>(row + 1),
          [&] { return tail = device::load_acquire<kScope>(args.memory.reduced_tails + channel); },
          [&](Word seen) { return static_cast<int>(layout::rows(seen)) > row; });
      if (!arrived) break;
      ready = static_cast<int>(layout::rows(tail));
      device::fence_proxy_async();
    }
    const std::size_t place = layout::channel_row(shape, channel, row);
    const layout::Origin origin = args.memory.origins[place];
    if (lane == 0) {
      device::mbarrier_expect(full, row_bytes);
      device::bulk_load(stage, args.memory.reduced_rows + place * row_bytes, row_bytes, full);
    }
    stamp.keep();
    device::mbarrier_wait(args.watch, WordKind::row_loaded, row, full,
                          static_cast<std::uint32_t>(row) % 2);
    return_row(args, queue, origin, place, stage);
    if (lane == origin.source) ++sent;
    stamp.note(Point::row_returned, row);
  }
  stamp.keep();
  post_finishes(args, queue, channel, sent);
  stamp.note(Point::combine_finish_posted, channel);
}

/// The same where a domain has several GPUs: each row is summed over them.
template <device::Scope kScope, class Args, class Stamps>
__device__ void return_channel_of_rail(const Args& args, int channel, int k, char* stage,
                                       Stamps& stamp) {
  const Shape& shape = args.shape;
  const int queue = device::queue_of(device::combine_queues(shape.queues),
                                     static_cast<int>(blockIdx.x), k, shape.sms);
  const int count = args.memory.forwarded_rows[channel];
  int ready = 0;
  int used = 0;
  int sent = 0;  // lane s: rows returned to source s
  for (int row = 0; row < count; ++row) {
    const std::size_t place = layout::channel_row(shape, channel, row);
    const layout::Forwarded forwarded = args.memory.forwarded[place];
    if (!gather_copies<kScope>(args, channel, forwarded.members, ready, used, stage)) break;
    return_row(args, queue, forwarded.origin, place, stage);
    if (lane_id() == forwarded.origin.source) ++sent;
    stamp.note(Point::row_returned, row);
  }
  stamp.keep();
  post_finishes(args, queue, channel, sent);
  stamp.note(Point::combine_finish_posted, channel);
}

/// Args: FfnCombineArgs or RailCombineArgs.
template <class Args, device::Scope kScope, bool kStamped>
__global__ void __launch_bounds__(2 * 32 * kMaxChannelsPerSm, 1)
    ffn_combine(const __grid_constant__ Args args) {
  extern __shared__ __align__(128) char shared[];
  const Shape& shape = args.shape;
  auto* full = reinterpret_cast<std::uint64_t*>(
      shared + static_cast<std::size_t>(shape.channels_per_sm) * args.stage_bytes);
  device::Stamper<kStamped> stamp(args.trace.rings);
  record_placement(args.trace);
  grid_barrier(args.memory.grid_arrivals, args.watch);
  if (threadIdx.x == 0 && blockIdx.x == 0) domain_barrier_of<kScope>(args);
  grid_barrier(args.memory.grid_arrivals, args.watch);
  const int k = warp_id() % shape.channels_per_sm;
  const int channel = static_cast<int>(blockIdx.x) * shape.channels_per_sm + k;
  if (warp_id() < shape.channels_per_sm) {
    stamp.note(Point::barrier_passed, 0);
    char* stage = shared + static_cast<std::size_t>(k) * args.stage_bytes;
    if constexpr (Args::kRails) {
      return_channel_of_rail<kScope>(args, channel, k, stage, stamp);
    } else {
      if (lane_id() == 0) {
        device::mbarrier_init(full + k, 1);
        device::mbarrier_init_fence();
      }
      __syncwarp();
      return_channel<kScope>(args, channel, k, stage, full + k, stamp);
    }
    device::bulk_wait_all();
  } else if constexpr (Args::kRails) {
    send_to_rails<kScope>(
        args, channel, [&](std::size_t place, char* reduced) { reduce_row(args, place, reduced); });
  } else {
    send_reduced<kScope>(args, channel);
  }
  stamp.close();
}

}  // namespace fanin::kernels::roles
