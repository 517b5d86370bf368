// Gaps between kernels: in a stream, between nodes of a graph, with and without programmatic
// dependent launch.
#include "bench.cuh"

namespace fanin::probe {
namespace {

constexpr int kNodes = 24;
constexpr std::uint64_t kBusyNs = 6000;

/// Thread 0 of each CTA stays for kBusyNs. start[node]: when the first CTA may work; end[node]:
/// when the last one left off.
__global__ void busy_kernel(int node, bool programmatic, unsigned long long* start,
                            unsigned long long* end) {
  if (programmatic) {
    cudaTriggerProgrammaticLaunchCompletion();
    cudaGridDependencySynchronize();
  }
  const std::uint64_t begin = timer_ns();
  if (threadIdx.x != 0) return;
  atomicMin(start + node, begin);
  std::uint64_t now = begin;
  while (now - begin < kBusyNs) now = timer_ns();
  atomicMax(end + node, now);
}

void launch(int ctas, int node, bool programmatic, const Memory<unsigned long long>& stamps,
            cudaStream_t stream) {
  cudaLaunchAttribute attribute{};
  attribute.id = cudaLaunchAttributeProgrammaticStreamSerialization;
  attribute.val.programmaticStreamSerializationAllowed = 1;
  cudaLaunchConfig_t config{};
  config.gridDim = dim3(static_cast<unsigned>(ctas));
  config.blockDim = dim3(128);
  config.stream = stream;
  config.attrs = programmatic && node > 0 ? &attribute : nullptr;
  config.numAttrs = programmatic && node > 0 ? 1 : 0;
  FANIN_PROBE_CHECK(cudaLaunchKernelEx(&config, busy_kernel, node, programmatic, stamps.get(),
                                       stamps.get() + kNodes));
}

/// Mean gap between the end of a kernel and the start of the next.
double gap_ns(const Memory<unsigned long long>& stamps) {
  unsigned long long host[2 * kNodes];
  FANIN_PROBE_CHECK(cudaMemcpy(host, stamps.get(), sizeof host, cudaMemcpyDeviceToHost));
  double sum = 0;
  for (int node = 1; node < kNodes; ++node) {
    sum += static_cast<double>(static_cast<long long>(host[node] - host[kNodes + node - 1]));
  }
  return sum / (kNodes - 1);
}

void reset(const Memory<unsigned long long>& stamps) {
  FANIN_PROBE_CHECK(cudaMemset(stamps.get(), 0xff, kNodes * sizeof(std::uint64_t)));
  FANIN_PROBE_CHECK(cudaMemset(stamps.get() + kNodes, 0, kNodes * sizeof(std::uint64_t)));
  FANIN_PROBE_CHECK(cudaDeviceSynchronize());
}

/// A stream of its own, and a graph once it is captured; shared by copies.
struct Chain {
  cudaStream_t stream = nullptr;
  cudaGraphExec_t graph = nullptr;

  Chain() { FANIN_PROBE_CHECK(cudaStreamCreateWithFlags(&stream, cudaStreamNonBlocking)); }
  Chain(const Chain&) = delete;
  Chain& operator=(const Chain&) = delete;
  ~Chain() {
    if (graph != nullptr) cudaGraphExecDestroy(graph);
    cudaStreamDestroy(stream);
  }

  void capture(int ctas, bool programmatic, const Memory<unsigned long long>& stamps) {
    cudaGraph_t captured = nullptr;
    FANIN_PROBE_CHECK(cudaStreamBeginCapture(stream, cudaStreamCaptureModeThreadLocal));
    for (int node = 0; node < kNodes; ++node) launch(ctas, node, programmatic, stamps, stream);
    FANIN_PROBE_CHECK(cudaStreamEndCapture(stream, &captured));
    FANIN_PROBE_CHECK(cudaGraphInstantiate(&graph, captured, 0));
    FANIN_PROBE_CHECK(cudaGraphDestroy(captured));
  }
};

void add_gap(Benches& benches, const std::string& name, const std::string& meaning, int ctas,
             bool in_graph, bool programmatic, const std::string& parameter) {
  const auto chain = std::make_shared<Chain>();
  const Memory<unsigned long long> stamps(2 * kNodes);
  Figure figure;
  figure.name = name;
  figure.unit = "ns";
  figure.meaning = meaning;
  figure.parameter = parameter;
  figure.low = -200;  // a programmatic launch may start before its predecessor's last stamp
  figure.high = 50'000;
  const auto sample = [=] {
    if (in_graph && chain->graph == nullptr) chain->capture(ctas, programmatic, stamps);
    reset(stamps);
    if (in_graph) {
      FANIN_PROBE_CHECK(cudaGraphLaunch(chain->graph, chain->stream));
    } else {
      for (int node = 0; node < kNodes; ++node) {
        launch(ctas, node, programmatic, stamps, chain->stream);
      }
    }
    FANIN_PROBE_CHECK(cudaStreamSynchronize(chain->stream));
    return gap_ns(stamps);
  };
  benches.push_back({figure, sample});
}

}  // namespace

void add_launch_benches(Benches& benches, const Chip& chip) {
  const int all = chip.sms;
  add_gap(benches, "launch.stream_gap", "Gap between kernels of 1 CTA in a stream.", 1, false,
          false, "");
  add_gap(benches, "launch.graph_gap", "Gap between kernel nodes of 1 CTA in a graph.", 1, true,
          false, "gpu.kernel_gap");
  add_gap(benches, "launch.graph_gap_all_sms", "The same with a CTA on every SM.", all, true, false,
          "");
  add_gap(benches, "launch.stream_gap_pdl",
          "Gap between kernels of 1 CTA in a stream, programmatic dependent launch.", 1, false,
          true, "");
  add_gap(benches, "launch.graph_gap_pdl",
          "Gap between kernel nodes of 1 CTA, programmatic dependent launch.", 1, true, true, "");
  add_gap(benches, "launch.graph_gap_pdl_all_sms", "The same with a CTA on every SM.", all, true,
          true, "");
}

}  // namespace fanin::probe
