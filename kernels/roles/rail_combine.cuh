// Parts of FFN kernel F3 where a domain has several GPUs: the scale-up warps send each row to the
// GPU of its rail, whose forward warps sum what the domain's GPUs have sent.
#pragma once

#include "roles/bf16.cuh"
#include "roles/domain.cuh"

namespace fanin::kernels::roles {

/// Expert side, one warp a channel: in every round one row of this channel to each rail's GPU that
/// has one left; a tail every few rounds and at the end of a list. Lane j keeps the list of rail j.
/// reduce(place, target): sums the expert rows of the received row at `place`.
template <device::Scope kScope, class Args, class Reduce>
__device__ void send_to_rails(const Args& args, int channel, Reduce&& reduce) {
  const Shape& shape = args.shape;
  const Domain& domain = args.domain;
  const int lane = lane_id();
  const int back = domain.rail * shape.channels() + channel;  // list of this GPU at the rail's
  const std::size_t row_bytes = layout::combine_row_bytes(shape);
  int count = 0;
  if (lane < domain.gpus) {
    count = static_cast<int>(
        layout::rows(args.memory.channel_tails[lane * shape.channels() + channel]));
  }
  const int rounds = __reduce_max_sync(kFullMask, count);
  int published = 0;
  for (int round = 0; round < rounds; ++round) {
    for (int rail = 0; rail < domain.gpus; ++rail) {
      if (round >= __shfl_sync(kFullMask, count, rail)) continue;
      const int list = rail * shape.channels() + channel;
      reduce(
          layout::channel_row(shape, list, round),
          domain.member[rail].reduced_rows + layout::channel_row(shape, back, round) * row_bytes);
    }
    const int done = min(round + 1, count);
    const bool last = done == count;
    const bool tell = done > published && (last || done % shape.scale_up_interval == 0);
    if (tell) {
      device::add_release<kScope>(
          domain.member[lane].reduced_tails + back,
          layout::pack2(last ? 1 : 0, static_cast<std::uint32_t>(done - published)));
      published = done;
    }
  }
}

/// Sums the copies of one row, in the order of the domain's GPUs, into `stage`. Lane i: `copy` is
/// that of GPU i; `members`: the GPUs that sent one. Each choice is that of the GPU that owns it.
__device__ inline void sum_copies(const Shape& shape, const char* copy, unsigned members,
                                  char* stage) {
  constexpr int kParts = 4;
  const int lane = lane_id();
  const int vectors = static_cast<int>(layout::payload_bytes(shape) / layout::kVector);
  const auto copy_of = [copy](int member) {
    return reinterpret_cast<const char*>(
        __shfl_sync(kFullMask, reinterpret_cast<unsigned long long>(copy), member));
  };
  for (int base = 0; base < vectors; base += 32 * kParts) {
    Sum8 sum[kParts];
    for (unsigned left = members; left != 0; left &= left - 1) {
      const auto* from = reinterpret_cast<const uint4*>(copy_of(__ffs(left) - 1));
      uint4 part[kParts];
#pragma unroll
      for (int p = 0; p < kParts; ++p) {
        const int v = base + 32 * p + lane;
        if (v < vectors) part[p] = from[v];
      }
#pragma unroll
      for (int p = 0; p < kParts; ++p) {
        if (base + 32 * p + lane < vectors) sum[p].add(part[p]);
      }
    }
#pragma unroll
    for (int p = 0; p < kParts; ++p) {
      const int v = base + 32 * p + lane;
      if (v < vectors) reinterpret_cast<uint4*>(stage)[v] = sum[p].packed();
    }
  }
  uint2 choice{};
  for (unsigned left = members; left != 0; left &= left - 1) {
    const char* from = copy_of(__ffs(left) - 1);
    if (lane >= shape.top_k) continue;
    const uint2 sent = *reinterpret_cast<const uint2*>(from + layout::choice_offset(shape, lane));
    if (left == members || static_cast<int>(sent.x) >= 0) choice = sent;
  }
  if (lane < shape.top_k) {
    *reinterpret_cast<uint2*>(stage + layout::choice_offset(shape, lane)) = choice;
  }
}

/// One row of the channel's order of arrival: waits for the copy of every GPU that owns one of its
/// experts and sums them into `stage`, ready for the copy engine. Lane i: `ready` and `used` count
/// GPU i's rows that it has published and that have been summed. False after a time-out.
template <device::Scope kScope, class Args>
__device__ inline bool gather_copies(const Args& args, int channel, unsigned members, int& ready,
                                     int& used, char* stage) {
  const Shape& shape = args.shape;
  const int lane = lane_id();
  const int list = lane * shape.channels() + channel;
  const bool sends = (members >> lane & 1u) != 0;
  bool arrived = true;
  if (sends && ready <= used) {
    Word tail = 0;
    const int wanted = used + 1;
    arrived = wait_until(
        args.watch, WordKind::scale_up_tail, list, static_cast<Word>(wanted),
        [&] { return tail = device::load_acquire<kScope>(args.memory.reduced_tails + list); },
        [&](Word seen) { return static_cast<int>(layout::rows(seen)) >= wanted; });
    ready = static_cast<int>(layout::rows(tail));
  }
  if (!__all_sync(kFullMask, arrived)) return false;
  __syncwarp();
  const char* copy = nullptr;
  if (sends) {
    copy = args.memory.reduced_rows +
           layout::channel_row(shape, list, used) * layout::combine_row_bytes(shape);
    ++used;
  }
  sum_copies(shape, copy, members, stage);
  device::fence_proxy_async_shared();
  __syncwarp();
  return true;
}

}  // namespace fanin::kernels::roles
