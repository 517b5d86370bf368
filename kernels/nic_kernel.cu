#include "nic_kernel.cuh"

#include "nic_requester.cuh"
#include "nic_responder.cuh"
#include "nic_server.cuh"

namespace fanin::kernels::nic {

constexpr int kWarps = kThreads / 32;
static_assert(kNicSharedBytes >= 4 * sizeof(NicShared) + 4 * sizeof(CopyBuffer) &&
                  kNicSharedBytes >= sizeof(NicShared) + (kWarps - 3) * sizeof(CopyBuffer) &&
                  kNicSharedBytes >= 2 * sizeof(NicShared) + (kWarps - 6) * sizeof(CopyBuffer),
              "1, 2 or 4 NICs and their copy buffers fit in one SM");
static_assert(sizeof(NicShared) % 128 == 0, "copy buffers stay aligned");

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
    // Warps 3, 7, … of the NICs' own come first, then the rest.
    auto* const buffers = reinterpret_cast<CopyBuffer*>(shared + per_sm);
    const int copier = warp < 4 * per_sm ? warp / 4 : warp - 3 * per_sm;
    if (lane == 0) run_copier(mine.responder, buffers[copier]);
  } else if (lane == 0) {
    // The server thread stays alone in its warp: other lanes would cost it votes.
    Server(mine.responder, watch).run(nic);
  }
}

}  // namespace fanin::kernels::nic
