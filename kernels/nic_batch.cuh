// Operations on their way from a collector to its responder, in the order of service.
#pragma once

#include "nic_engine.cuh"

namespace fanin::kernels::nic {

// What orders these accesses is said at load_op.

/// Whole warp, the collector's side.
class BatchWriter {
 public:
  /// Waits until the responder has read the batch before. False: gave up.
  __device__ bool wait(const Batch& batch, const device::Watch& watch) const {
    const bool read = device::wait_until(
        watch, WordKind::nic_server, 1, number_, [&] { return Word{load_shared(&batch.taken)}; },
        [&](Word taken) { return static_cast<std::uint32_t>(taken) == number_; });
    return __all_sync(kAllLanes, read);
  }

  __device__ void put(Batch& batch, int place, const NicEntry& entry) const {
    store_op(&batch.first[place], entry.first);
    store_op(&batch.second[place], entry.second);
  }

  /// 0 operations: nothing more comes.
  __device__ void publish(Batch& batch, int count) {
    __syncwarp();
    if (threadIdx.x % 32 == 0) {
      store_shared(&batch.state,
                   (number_ + 1) << kBatchCountBits | static_cast<std::uint32_t>(count));
    }
    ++number_;
  }

 private:
  std::uint32_t number_ = 0;
};

/// Whole warp, the responder's side.
class BatchReader {
 public:
  /// Operations of the next batch, 0 where nothing more comes; -1: not there yet.
  __device__ int poll(const Batch& batch) const {
    const std::uint32_t state = load_shared(&batch.state);
    const std::uint32_t turn = (number_ + 1) << kBatchCountBits >> kBatchCountBits;
    return state >> kBatchCountBits == turn
               ? static_cast<int>(state & ((1u << kBatchCountBits) - 1))
               : -1;
  }

  __device__ NicEntry load(const Batch& batch, int place) const {
    return {load_op(&batch.first[place]), load_op(&batch.second[place])};
  }

  /// The batch has been loaded.
  __device__ void release(Batch& batch) {
    ++number_;
    __syncwarp();
    if (threadIdx.x % 32 == 0) store_shared(&batch.taken, number_);
  }

 private:
  std::uint32_t number_ = 0;
};

}  // namespace fanin::kernels::nic
