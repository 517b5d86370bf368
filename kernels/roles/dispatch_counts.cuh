// The notify warps of the Attention dispatch: how many rows each FFN rank and each expert gets.
#pragma once

#include "fanin/kernels/device/stamper.cuh"
#include "roles/common.cuh"
#include "roles/dispatch_args.cuh"

namespace fanin::kernels::roles {

inline constexpr int kChoicesAhead = 8;

/// The first kChoicesAhead of `left` choices, loaded before the first is used, so that they wait
/// together; −1 where there are fewer.
__device__ __forceinline__ void load_choices(const std::int32_t* experts, int left, bool vectors,
                                             int (&expert)[kChoicesAhead]) {
  if (vectors) {
    const auto* from = reinterpret_cast<const int4*>(experts);
    const int4 low = __ldg(from);
    const int4 high = __ldg(from + 1);
    expert[0] = low.x, expert[1] = low.y, expert[2] = low.z, expert[3] = low.w;
    expert[4] = high.x, expert[5] = high.y, expert[6] = high.z, expert[7] = high.w;
    return;
  }
#pragma unroll
  for (int i = 0; i < kChoicesAhead; ++i) expert[i] = i < left ? __ldg(experts + i) : -1;
}

/// Counts this CTA's share of the tokens, by expert and by FFN rank, and adds them to the rank's
/// counts.
template <class Args>
__device__ void add_counts(const Args& args, unsigned* local) {
  const Shape& shape = args.shape;
  const int top_k = args.load.top_k;
  const bool vectors = top_k % kChoicesAhead == 0;
  const int thread = static_cast<int>(threadIdx.x) - 2 * args.load.channels_per_sm * 32;
  const int words = shape.experts + shape.ffn_ranks;
  const int stride = static_cast<int>(gridDim.x) * kNotifyThreads;
  int token = static_cast<int>(blockIdx.x) + thread * static_cast<int>(gridDim.x);
  int first = 0;
  int expert[kChoicesAhead];
  const auto load = [&] {
    if (token >= args.memory.tokens) return;
    load_choices(args.load.experts + static_cast<std::size_t>(token) * top_k + first, top_k - first,
                 vectors, expert);
  };
  load();
  for (int i = thread; i < words; i += kNotifyThreads) local[i] = 0;
  notify_sync();
  for (unsigned ranks = 0; token < args.memory.tokens; load()) {
#pragma unroll
    for (int i = 0; i < kChoicesAhead; ++i) {
      if (expert[i] < 0) continue;
      atomicAdd(&local[expert[i]], 1u);
      ranks |= 1u << args.owner_of(expert[i]);
    }
    first += kChoicesAhead;
    if (first < top_k) continue;
    for (; ranks != 0; ranks &= ranks - 1) atomicAdd(&local[shape.experts + __ffs(ranks) - 1], 1u);
    first = 0;
    token += stride;
  }
  notify_sync();
  for (int i = thread; i < words; i += kNotifyThreads) {
    if (local[i] != 0) atomicAdd(&args.memory.counts[i], local[i]);
  }
  // The release covers what the others have added before the barrier.
  notify_sync();
  if (thread == 0) device::add_release<device::Scope::gpu>(args.memory.count_arrivals, 1);
}

/// Word `word` of the message to FFN rank `ffn`.
template <class Args>
__device__ __forceinline__ Word count_word(const Args& args, int ffn, int word) {
  const Shape& shape = args.shape;
  const int local = shape.local_experts();
  const int expert = word - static_cast<int>(layout::kRankCountWords);
  unsigned count = 0;
  if (word == 0) {
    count = __ldcg(&args.memory.counts[shape.experts + ffn]);
  } else if (expert >= 0 && expert < local) {
    count = __ldcg(&args.memory.counts[ffn * local + expert]);
  }
  return Word{count} + 1;
}

/// CTA 0: once all CTAs have added, sends the counts of each FFN rank: its rows, then the rows of
/// each expert. Two WRITEs; where the kernel stores to the peer itself, the words as they are.
template <class Args, class Stamps>
__device__ void post_counts(const Args& args, Stamps& stamp) {
  using Transport = std::remove_const_t<decltype(args.transport)>;
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
  for (int ffn = 0; ffn < shape.ffn_ranks; ++ffn) {
    Word* inbox = args.ffn.inbox[ffn].counts + args.memory.source * words;
    for (int word = thread; word < static_cast<int>(words); word += kNotifyThreads) {
      const Word value = count_word(args, ffn, word);
      if constexpr (Transport::kStages) {
        args.memory.count_message[ffn * words + word] = value;
      } else {
        args.transport.store(ffn, inbox + word, value);
      }
    }
  }
  if constexpr (Transport::kStages) {
    __threadfence();
    notify_sync();
    if (thread >= 32) return;
    for (int ffn = 0; ffn < shape.ffn_ranks; ++ffn) {
      const Word* message = args.memory.count_message + ffn * words;
      Word* inbox = args.ffn.inbox[ffn].counts + args.memory.source * words;
      args.transport.put(0, ffn, inbox, message, layout::kRankCountWords * sizeof(Word),
                         device::Doorbell::now);
      args.transport.put(
          0, ffn, inbox + layout::kRankCountWords, message + layout::kRankCountWords,
          static_cast<std::uint32_t>(layout::expert_count_words(shape) * sizeof(Word)),
          device::Doorbell::now);
    }
  }
  if (thread < 32) stamp.note(Point::counts_posted, shape.ffn_ranks);
}

}  // namespace fanin::kernels::roles
