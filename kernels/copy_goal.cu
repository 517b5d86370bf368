// The copy goal: rows of one dispatch against a plain copy of as many bytes on as many SMs.
#include <algorithm>

#include "environment.hpp"
#include "fanin/kernels/run.hpp"
#include "graphs.cuh"
#include "launcher.cuh"

namespace fanin::kernels {

namespace {

constexpr int kCopyThreads = 1024;

__global__ void __launch_bounds__(kCopyThreads, 1)
    plain_copy(uint4* __restrict__ to, const uint4* __restrict__ from, std::size_t vectors) {
  constexpr int kUnroll = 8;
  const std::size_t stride = static_cast<std::size_t>(gridDim.x) * blockDim.x;
  std::size_t i = static_cast<std::size_t>(blockIdx.x) * blockDim.x + threadIdx.x;
  for (; i + (kUnroll - 1) * stride < vectors; i += kUnroll * stride) {
    uint4 values[kUnroll];
#pragma unroll
    for (int j = 0; j < kUnroll; ++j) values[j] = from[i + j * stride];
#pragma unroll
    for (int j = 0; j < kUnroll; ++j) to[i + j * stride] = values[j];
  }
  for (; i < vectors; i += stride) to[i] = from[i];
}

double median_us(int repeats, const std::function<void(cudaStream_t)>& launch) {
  constexpr int kLaunches = 10;
  RankGraph graph(kLaunches, 0, launch);
  cudaEvent_t now = nullptr;
  FANIN_CUDA_CHECK(cudaEventCreate(&now));
  FANIN_CUDA_CHECK(cudaEventRecord(now, nullptr));
  std::vector<double> us;
  for (int i = -2; i < repeats; ++i) {
    graph.enqueue(now, 1);
    const double each = graph.wait_us();
    if (i >= 0) us.push_back(each);
  }
  FANIN_CUDA_CHECK(cudaEventDestroy(now));
  std::nth_element(us.begin(), us.begin() + us.size() / 2, us.end());
  return us[us.size() / 2];
}

}  // namespace

CopyGoal measure_copy_goal(const RunConfig& config, int repeats) {
  config.validate();
  prepare_environment();
  try {
    const auto carrier = make_nvlink_carrier();
    const LaunchPlan plan = plan_launches(config, 0);
    World world(config, std::max({config.shape.sms, plan.copy_ctas, plan.reduce_ctas}));
    world.load(config.data_seed);
    const auto launcher = carrier->launcher(world, plan, false);
    launcher->prepare();
    const std::size_t rows =
        static_cast<std::size_t>(config.tokens.front()) * layout::dispatch_row_bytes(config.shape);
    Arena arena;
    const std::size_t from = arena.reserve(layout::align_up(rows, 256));
    const std::size_t to = arena.reserve(layout::align_up(rows, 256));
    arena.allocate();
    arena.fill(from, to, 0x5a);
    CopyGoal goal;
    goal.bytes = 2 * rows;
    goal.plain_us = median_us(repeats, [&](cudaStream_t stream) {
      plain_copy<<<static_cast<unsigned>(config.shape.sms), kCopyThreads,
                   static_cast<std::size_t>(0), stream>>>(
          reinterpret_cast<uint4*>(arena.at(to)), reinterpret_cast<const uint4*>(arena.at(from)),
          rows / sizeof(uint4));
      FANIN_CUDA_CHECK(cudaGetLastError());
    });
    goal.dispatch_us =
        median_us(repeats, [&](cudaStream_t stream) { launcher->dispatch_only(0, stream); });
    return goal;
  } catch (const CudaError& error) {
    throw RunFailure(error.what());
  }
}

}  // namespace fanin::kernels
