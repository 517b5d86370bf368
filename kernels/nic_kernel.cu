#include "nic_kernel.cuh"

#include "nic_requester.cuh"
#include "nic_responder.cuh"
#include "nic_server.cuh"

namespace fanin::kernels::nic {

static_assert(4 * sizeof(NicShared) <= kNicSharedBytes, "four NICs fit in one SM");

// Warps of NIC n in its CTA: 4n requester, 4n + 1 responder, 4n + 2 its server thread, 4n + 3
// copies rows, so that the four of one NIC sit on the SM's four schedulers. The rest copy rows, for
// the CTA's NICs in turn.
__global__ void __launch_bounds__(kThreads, 1)
    nic_kernel(RankNic* nics, int ranks, int per_sm, Control* control, volatile unsigned* ready,
               device::Watch watch) {
  extern __shared__ __align__(128) unsigned char dynamic[];
  auto* const shared = reinterpret_cast<NicShared*>(dynamic);
  for (std::uint32_t i = threadIdx.x; i < per_sm * sizeof(NicShared) / 4; i += kThreads) {
    reinterpret_cast<std::uint32_t*>(dynamic)[i] = 0;
  }
  __syncthreads();
  for (int i = static_cast<int>(threadIdx.x); i < per_sm * kContexts; i += kThreads) {
    shared[i / kContexts].requester.context_tags[i % kContexts] = -1;
  }
  const int warp = static_cast<int>(threadIdx.x) / 32;
  const int lane = static_cast<int>(threadIdx.x) % 32;
  const int role = warp < 4 * per_sm ? warp % 4 : 3;
  const int in_sm = warp < 4 * per_sm ? warp / 4 : warp % per_sm;
  const int rank = static_cast<int>(blockIdx.x) * per_sm + in_sm;
  if (role == 0 && lane == 0 && rank < ranks) nics[rank].sm = static_cast<int>(device::sm_id());
  __syncthreads();
  if (threadIdx.x == 0) {
    __threadfence_system();
    ready[blockIdx.x] = 1;
  }
  if (rank >= ranks) return;
  RankNic& nic = nics[rank];
  NicShared& mine = shared[in_sm];
  watch.rank = rank;
  if (role == 0) {
    run_requester(nic, mine.requester, *control, watch, rank);
    return;
  }
  if (nic.in_count == 0) return;
  if (role == 1) {
    run_responder(nic, mine.responder, *control, watch, rank, ranks);
  } else if (role == 3) {
    run_copier(mine.responder);
  } else if (lane == 0) {
    // The server thread stays alone in its warp: other lanes would cost it votes.
    Server(mine.responder, watch).run(nic);
  }
}

}  // namespace fanin::kernels::nic
