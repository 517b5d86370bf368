#include "graphs.cuh"

#include "fanin/kernels/device/wait.cuh"

namespace fanin::kernels {

namespace {

__global__ void wait_for_host(const volatile unsigned long long* flag, device::Watch watch) {
  wait_until(
      watch, WordKind::start, 0, 1, [&] { return *flag; },
      [](device::Word seen) { return seen != 0; });
}

}  // namespace

RankGraph::RankGraph(int exchanges, int priority, const std::function<void(cudaStream_t)>& record)
    : exchanges_(exchanges) {
  FANIN_CUDA_CHECK(cudaStreamCreateWithPriority(&stream_, cudaStreamNonBlocking, priority));
  FANIN_CUDA_CHECK(cudaEventCreate(&start_));
  FANIN_CUDA_CHECK(cudaEventCreate(&end_));
  cudaGraph_t graph = nullptr;
  FANIN_CUDA_CHECK(cudaStreamBeginCapture(stream_, cudaStreamCaptureModeThreadLocal));
  for (int i = 0; i < exchanges; ++i) record(stream_);
  FANIN_CUDA_CHECK(cudaStreamEndCapture(stream_, &graph));
  FANIN_CUDA_CHECK(cudaGraphInstantiate(&graph_, graph, 0));
  FANIN_CUDA_CHECK(cudaGraphDestroy(graph));
  FANIN_CUDA_CHECK(cudaGraphUpload(graph_, stream_));
  FANIN_CUDA_CHECK(cudaStreamSynchronize(stream_));
}

RankGraph::~RankGraph() {
  if (graph_ != nullptr) FANIN_CUDA_WARN(cudaGraphExecDestroy(graph_));
  if (end_ != nullptr) FANIN_CUDA_WARN(cudaEventDestroy(end_));
  if (start_ != nullptr) FANIN_CUDA_WARN(cudaEventDestroy(start_));
  if (stream_ != nullptr) FANIN_CUDA_WARN(cudaStreamDestroy(stream_));
}

void RankGraph::enqueue(cudaEvent_t gate, int replays) {
  replays_ = replays;
  FANIN_CUDA_CHECK(cudaStreamWaitEvent(stream_, gate, 0));
  FANIN_CUDA_CHECK(cudaEventRecord(start_, stream_));
  for (int i = 0; i < replays; ++i) FANIN_CUDA_CHECK(cudaGraphLaunch(graph_, stream_));
  FANIN_CUDA_CHECK(cudaEventRecord(end_, stream_));
}

double RankGraph::wait_us() {
  FANIN_CUDA_CHECK(cudaStreamSynchronize(stream_));
  float ms = 0.0f;
  FANIN_CUDA_CHECK(cudaEventElapsedTime(&ms, start_, end_));
  return static_cast<double>(ms) * 1e3 / (static_cast<double>(exchanges_) * replays_);
}

Gate::Gate(StallReport* report, std::uint64_t limit_ns) : report_(report), limit_ns_(limit_ns) {
  // Loads the kernel now: loading waits for the device, which a NIC keeps busy.
  cudaFuncAttributes attributes{};
  FANIN_CUDA_CHECK(cudaFuncGetAttributes(&attributes, wait_for_host));
  FANIN_CUDA_CHECK(cudaStreamCreateWithFlags(&stream_, cudaStreamNonBlocking));
  FANIN_CUDA_CHECK(cudaEventCreateWithFlags(&event_, cudaEventDisableTiming));
  void* flag = nullptr;
  FANIN_CUDA_CHECK(cudaHostAlloc(&flag, sizeof(*flag_), cudaHostAllocMapped));
  flag_ = static_cast<volatile unsigned long long*>(flag);
  void* mapped = nullptr;
  FANIN_CUDA_CHECK(cudaHostGetDevicePointer(&mapped, flag, 0));
  device_flag_ = static_cast<unsigned long long*>(mapped);
}

Gate::~Gate() {
  if (event_ != nullptr) FANIN_CUDA_WARN(cudaEventDestroy(event_));
  if (stream_ != nullptr) FANIN_CUDA_WARN(cudaStreamDestroy(stream_));
  FANIN_CUDA_WARN(cudaFreeHost(const_cast<unsigned long long*>(flag_)));
}

cudaEvent_t Gate::close() {
  *flag_ = 0;
  wait_for_host<<<1, 1, 0, stream_>>>(device_flag_,
                                      device::Watch{report_, limit_ns_ * 20, KernelId::gate, -1});
  FANIN_CUDA_CHECK(cudaGetLastError());
  FANIN_CUDA_CHECK(cudaEventRecord(event_, stream_));
  return event_;
}

cudaEvent_t Gate::leave_open() {
  FANIN_CUDA_CHECK(cudaEventRecord(event_, stream_));
  return event_;
}

void Gate::open() { *flag_ = 1; }

}  // namespace fanin::kernels
