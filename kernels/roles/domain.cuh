// The GPUs of one FFN domain, as a kernel of one of them reaches the others: plain stores and
// release atomics. Kernels of a domain with one GPU do without.
#pragma once

#include "roles/common.cuh"

namespace fanin::kernels::roles {

/// Memory of one GPU of the domain that the others write to. Lists as in member_view.
struct DomainMember {
  char* channel_rows = nullptr;       ///< FfnMemory::channel_rows
  layout::Origin* origins = nullptr;  ///< of the same rows
  Word* channel_tails = nullptr;      ///< [rails · channels]
  Word* counts = nullptr;             ///< FfnMemory::member_counts
  char* reduced_rows = nullptr;       ///< combine rows, list member · C + channel
  Word* reduced_tails = nullptr;      ///< [members · channels]
  Word* arrivals = nullptr;           ///< of the domain's barrier
};

struct Domain {
  int gpus = 1;           ///< U
  int rail = 0;           ///< of this GPU
  int first_expert = 0;   ///< of the domain
  int local_experts = 0;  ///< of each GPU
  DomainMember member[kMaxRails];

  /// Bit of the GPU that owns the expert; 0 where it is none of the domain.
  __device__ unsigned owner_bit(int expert) const {
    const int place = expert - first_expert;
    return place >= 0 && place < gpus * local_experts ? 1u << (place / local_experts) : 0u;
  }
};

/// One thread. Signals every GPU of the domain and waits for all of them. A count of an early GPU's
/// next barrier may stand for one that is still under way: the early GPU has seen that one, so all
/// that it orders is ordered here too.
template <device::Scope kScope>
__device__ __forceinline__ void domain_barrier(const Domain& domain, Word* epoch,
                                               const device::Watch& watch) {
  const Word target = *epoch + static_cast<Word>(domain.gpus);
  for (int i = 0; i < domain.gpus; ++i) device::add_release<kScope>(domain.member[i].arrivals, 1);
  wait_until(
      watch, WordKind::domain_barrier, domain.rail, target,
      [&] { return device::load_acquire<kScope>(domain.member[domain.rail].arrivals); },
      [&](Word seen) { return seen >= target; });
  *epoch = target;
}

/// The same, for whichever domain the kernel's arguments have.
template <device::Scope kScope, class Args>
__device__ __forceinline__ void domain_barrier_of(const Args& args) {
  if constexpr (Args::kRails) {
    domain_barrier<kScope>(args.domain, args.memory.domain_epoch, args.watch);
  } else {
    domain_barrier<kScope>(args.memory.domain_arrivals, args.memory.domain_epoch, args.watch);
  }
}

}  // namespace fanin::kernels::roles
