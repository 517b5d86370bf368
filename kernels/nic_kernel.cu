#include "nic_kernel.cuh"

#include "nic_requester.cuh"
#include "nic_responder.cuh"
#include "nic_server.cuh"

namespace fanin::kernels::nic {

static_assert(8 * sizeof(EngineShared) <= kNicSharedBytes, "four NICs fit in one SM");

// Warps of NIC n in its CTA: 4n requester scheduler, 4n + 1 requester server, 4n + 2 responder
// scheduler, 4n + 3 responder server, so that the four of one NIC sit on the SM's four schedulers.
// The rest copy rows, for the CTA's NICs in turn.
__global__ void __launch_bounds__(kThreads, 1)
    nic_kernel(RankNic* nics, int ranks, int per_sm, Control* control, volatile unsigned* ready,
               device::Watch watch) {
  extern __shared__ __align__(128) unsigned char dynamic[];
  auto* const engines = reinterpret_cast<EngineShared*>(dynamic);
  for (std::uint32_t i = threadIdx.x; i < 2 * per_sm * sizeof(EngineShared) / 4; i += kThreads) {
    reinterpret_cast<std::uint32_t*>(dynamic)[i] = 0;
  }
  __syncthreads();
  for (int i = static_cast<int>(threadIdx.x); i < 2 * per_sm * kContexts; i += kThreads) {
    engines[i / kContexts].context_tags[i % kContexts] = -1;
  }
  const int warp = static_cast<int>(threadIdx.x) / 32;
  const int lane = static_cast<int>(threadIdx.x) % 32;
  const int in_sm = warp < 4 * per_sm ? warp / 4 : warp % per_sm;
  const int rank = static_cast<int>(blockIdx.x) * per_sm + in_sm;
  if (warp < 4 * per_sm && warp % 4 == 0 && lane == 0 && rank < ranks) {
    nics[rank].sm = static_cast<int>(device::sm_id());
  }
  __syncthreads();
  if (threadIdx.x == 0) {
    __threadfence_system();
    ready[blockIdx.x] = 1;
  }
  if (rank >= ranks) return;
  RankNic& nic = nics[rank];
  watch.rank = rank;
  EngineShared& requester = engines[2 * in_sm];
  EngineShared& responder = engines[2 * in_sm + 1];
  if (warp >= 4 * per_sm) {
    run_copier(responder);
    return;
  }
  switch (warp % 4) {
    case 0:
      run_requester_scheduler(nic, requester, *control, watch, rank);
      break;
    case 1:
      // The server thread stays alone in its warp: other lanes would cost it votes.
      if (lane == 0) run_requester_server(nic, requester, *control);
      break;
    case 2:
      run_responder_scheduler(nic, responder, *control, watch, rank, ranks);
      break;
    default:
      if (lane == 0) run_responder_server(nic, responder);
      break;
  }
}

}  // namespace fanin::kernels::nic
