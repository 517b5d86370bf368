// Streams, CUDA graphs and events of the ranks, and a gate that lets all of them start together.
#pragma once

#include <cuda_runtime.h>

#include <functional>
#include <vector>

#include "fanin/kernels/cuda_check.cuh"
#include "fanin/kernels/stall.hpp"

namespace fanin::kernels {

/// One rank's stream with a graph of some exchanges.
class RankGraph {
 public:
  /// record(stream) launches the kernels of one exchange.
  RankGraph(int exchanges, int priority, const std::function<void(cudaStream_t)>& record);
  ~RankGraph();
  RankGraph(const RankGraph&) = delete;
  RankGraph& operator=(const RankGraph&) = delete;

  /// Enqueues, behind `gate`: start event, `replays` graphs, end event.
  void enqueue(cudaEvent_t gate, int replays);
  /// Happens when all that is enqueued has been done.
  cudaEvent_t end() const { return end_; }
  /// Waits for the end; µs per exchange.
  double wait_us();

 private:
  int exchanges_;
  int replays_ = 0;
  cudaStream_t stream_ = nullptr;
  cudaGraphExec_t graph_ = nullptr;
  cudaEvent_t start_ = nullptr;
  cudaEvent_t end_ = nullptr;
};

/// Holds back every stream that waits for its event until open().
class Gate {
 public:
  explicit Gate(StallReport* report, std::uint64_t limit_ns);
  ~Gate();
  Gate(const Gate&) = delete;
  Gate& operator=(const Gate&) = delete;

  cudaEvent_t close();
  /// The same event without a wait, for tools under which no kernel may wait for the host.
  cudaEvent_t leave_open();
  void open();

 private:
  StallReport* report_;
  std::uint64_t limit_ns_;
  cudaStream_t stream_ = nullptr;
  cudaEvent_t event_ = nullptr;
  volatile unsigned long long* flag_ = nullptr;  ///< host memory, mapped
  unsigned long long* device_flag_ = nullptr;
};

}  // namespace fanin::kernels
