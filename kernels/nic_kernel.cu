#include "nic_kernel.cuh"

#include "nic_collector.cuh"
#include "nic_requester.cuh"
#include "nic_responder.cuh"
#include "nic_server.cuh"

namespace fanin::kernels::nic {

constexpr int kWarps = kThreads / 32;

/// Copy warps of one NIC on the NIC's own SM.
__host__ __device__ constexpr int copiers_beside(int per_sm) { return kWarps / per_sm - 4; }

static_assert(kNicSharedBytes >= sizeof(NicShared) + copiers_beside(1) * sizeof(CopyBuffer) &&
                  kNicSharedBytes >=
                      2 * sizeof(NicShared) + 2 * copiers_beside(2) * sizeof(CopyBuffer) &&
                  kNicSharedBytes >= kWarps * sizeof(CopyBuffer),
              "1 or 2 NICs and their copy buffers fit in one SM");
static_assert(sizeof(NicShared) % 128 == 0, "copy buffers stay aligned");

/// Of all threads of the cluster that have not ended.
__device__ __forceinline__ void cluster_barrier() {
  asm volatile("barrier.cluster.arrive.release;\nbarrier.cluster.wait.acquire;" ::: "memory");
}

/// Where CTA 0 of the cluster has what lies at `local` here.
template <class T>
__device__ __forceinline__ T* in_first_cta(T* local) {
  std::uint64_t address;
  asm volatile("mapa.u64 %0, %1, 0;" : "=l"(address) : "l"(local));
  return reinterpret_cast<T*>(address);
}

// Warps of NIC n in its CTA: 4n requester, 4n + 1 collector, 4n + 2 responder, 4n + 3 its server,
// so that the four of one NIC sit on the SM's four schedulers. The rest copy rows, for the CTA's
// NICs in turn, and so does every warp of the cluster's other CTAs.
__device__ __forceinline__ bool has_whole_warp(int mover, int warp, int per_sm) {
  return mover == 0 && warp < 4 * per_sm;
}

template <bool kStamped>
__device__ void run_role(RankNic* nics, int ranks, int per_sm, int movers, NicShared* shared,
                         Control& control, device::Watch& watch) {
  const int warp = static_cast<int>(threadIdx.x) / 32;
  const int cluster = static_cast<int>(blockIdx.x) / (1 + movers);
  const int mover = static_cast<int>(blockIdx.x) % (1 + movers);
  const bool own = mover == 0 && warp < 4 * per_sm;
  const int role = own ? warp % 4 : 4;
  const int in_sm = own ? warp / 4 : warp % per_sm;
  const int rank = cluster * per_sm + in_sm;
  if (rank >= ranks) return;
  RankNic& nic = nics[rank];
  watch.rank = rank;
  if (role == 0) {
    run_requester(nic, shared[in_sm].requester, control, watch, rank);
    return;
  }
  if (nic.in_count == 0) return;
  if (role == 1) {
    if (nic.in_count > 1) {
      run_collector<true>(nic, shared[in_sm].responder, control, watch, rank, ranks);
    } else {
      run_collector<false>(nic, shared[in_sm].responder, control, watch, rank, ranks);
    }
  } else if (role == 2) {
    if (nic.serve.lock_slots > 0) {
      run_responder<true>(nic, shared[in_sm].responder, watch, rank);
    } else {
      run_responder<false>(nic, shared[in_sm].responder, watch, rank);
    }
  } else if (role == 3) {
    run_server<kStamped>(nic, shared[in_sm].responder, watch);
  } else {
    const int beside = copiers_beside(per_sm);
    const int here = (mover == 0 ? warp - 4 * per_sm : warp) / per_sm;
    const int copier = mover == 0 ? here : beside + (mover - 1) * (kWarps / per_sm) + here;
    auto* const buffers = reinterpret_cast<CopyBuffer*>(mover == 0 ? shared + per_sm : shared);
    const int buffer = mover == 0 ? in_sm * beside + here : warp;
    run_copier(*in_first_cta(&shared[in_sm].responder), buffers[buffer], watch,
               static_cast<std::uint32_t>(copier),
               static_cast<std::uint32_t>(beside + movers * (kWarps / per_sm)));
  }
}

template <bool kStamped>
__global__ void __launch_bounds__(kThreads, 1)
    persistent_nic(RankNic* nics, int ranks, int per_sm, int movers, Control* control,
                   volatile unsigned* ready, device::Watch watch) {
  extern __shared__ __align__(128) unsigned char dynamic[];
  auto* const shared = reinterpret_cast<NicShared*>(dynamic);
  for (std::uint32_t i = threadIdx.x; i < per_sm * sizeof(NicShared) / 4; i += kThreads) {
    reinterpret_cast<std::uint32_t*>(dynamic)[i] = 0;
  }
  __syncthreads();
  for (int i = static_cast<int>(threadIdx.x); i < per_sm * kContexts; i += kThreads) {
    shared[i / kContexts].requester.context_tags[i % kContexts] = -1;
  }
  if (threadIdx.x == 0) control->sm[blockIdx.x] = static_cast<int>(device::sm_id());
  cluster_barrier();
  if (threadIdx.x == 0) {
    __threadfence_system();
    ready[blockIdx.x] = 1;
  }
  __syncwarp();
  // A thread that copies stays alone in its warp.
  if (threadIdx.x % 32 != 0 && !has_whole_warp(static_cast<int>(blockIdx.x) % (1 + movers),
                                               static_cast<int>(threadIdx.x) / 32, per_sm)) {
    return;
  }
  run_role<kStamped>(nics, ranks, per_sm, movers, shared, *control, watch);
  // The copy warps elsewhere read this SM's shared memory to the end.
  cluster_barrier();
}

NicKernel* nic_kernel(bool records_served) {
  return records_served ? &persistent_nic<true> : &persistent_nic<false>;
}

}  // namespace fanin::kernels::nic
