// Parts of FFN kernel F1 where a domain has several GPUs: each gets the rows of all rails from
// their forward warps, and the counts of its experts from their notify warps.
#pragma once

#include "roles/domain.cuh"

namespace fanin::kernels::roles {

/// The serial chain of one row that has come over the rail: load it, store it to every GPU of the
/// domain that owns one of its experts, wait for the stores. `row`: its place in the channel's
/// order of arrival. `sent`: lane i counts the rows of this channel sent to GPU i.
template <class Args, class Stamps>
__device__ inline void forward_to_members(const Args& args, int channel, int source, int slot,
                                          int row, int& sent, char* stage, std::uint64_t* full,
                                          std::uint32_t parity, Stamps& stamp) {
  const Shape& shape = args.shape;
  const int lane = lane_id();
  const auto row_bytes = static_cast<std::uint32_t>(layout::dispatch_row_bytes(shape));
  if (lane == 0) {
    device::mbarrier_expect(full, row_bytes);
    device::bulk_load(
        stage, args.memory.inbox.rows + layout::inbox_row(shape, source, channel, slot) * row_bytes,
        row_bytes, full);
  }
  stamp.keep();
  device::mbarrier_wait(args.watch, WordKind::row_loaded, row, full, parity);
  unsigned own = 0;
  if (lane < shape.top_k) {
    own = args.domain.owner_bit(
        reinterpret_cast<const std::int32_t*>(stage + layout::expert_offset(shape))[lane]);
  }
  const unsigned members = __reduce_or_sync(kFullMask, own);
  const int token = *reinterpret_cast<const std::int32_t*>(stage + layout::token_offset(shape));
  const layout::Origin origin{source, token};
  const int list = args.domain.rail * shape.channels() + channel;
  if (lane == 0) {
    args.memory.forwarded[layout::channel_row(shape, channel, row)] = {origin, members};
  }
  for (unsigned left = members; left != 0; left &= left - 1) {
    const int to = __ffs(left) - 1;
    const std::size_t place = layout::channel_row(shape, list, __shfl_sync(kFullMask, sent, to));
    if (lane == 0) {
      const DomainMember& member = args.domain.member[to];
      member.origins[place] = origin;
      device::bulk_store(member.channel_rows + place * row_bytes, stage, row_bytes);
      device::bulk_commit();
    }
    if (lane == to) ++sent;
  }
  if (lane == 0) device::bulk_wait_all();
  __syncwarp();
}

/// End of the channel's list at every GPU of the domain, by the lane that has waited for the rows.
template <device::Scope kScope, class Args>
__device__ inline void end_lists(const Args& args, int channel, int written, int sent) {
  const int list = args.domain.rail * args.shape.channels() + channel;
  for (int i = 0; i < args.domain.gpus; ++i) {
    const auto rows = static_cast<std::uint32_t>(__shfl_sync(kFullMask, sent, i));
    if (lane_id() == 0) {
      device::store_release<kScope>(args.domain.member[i].channel_tails + list,
                                    layout::pack2(1, rows));
    }
  }
  if (lane_id() == 0) args.memory.forwarded_rows[channel] = written;
}

/// Notify warps of CTA 0. `totals`: counts of this rail's sources for the experts of the domain;
/// then those of all rails for the experts of this GPU.
template <device::Scope kScope, class Args>
__device__ inline void share_counts(const Args& args, unsigned* totals, int thread) {
  const Domain& domain = args.domain;
  const int local = domain.local_experts;
  const int words = domain.gpus * local;
  for (int i = thread; i < words; i += kNotifyThreads) {
    Word* word = domain.member[i / local].counts + domain.rail * local + i % local;
    device::store_release<kScope>(word, Word{totals[i]} + 1);
  }
  notify_sync();
  for (int i = thread; i < local; i += kNotifyThreads) totals[i] = 0;
  notify_sync();
  for (int i = thread; i < words; i += kNotifyThreads) {
    Word* word = args.memory.member_counts + i;
    Word value = 0;
    wait_until(
        args.watch, WordKind::domain_counts, i, 1,
        [&] { return value = device::load_acquire<kScope>(word); },
        [](Word seen) { return seen != 0; });
    *word = 0;
    if (value > 1) atomicAdd(&totals[i % local], static_cast<unsigned>(value - 1));
  }
  notify_sync();
}

}  // namespace fanin::kernels::roles
