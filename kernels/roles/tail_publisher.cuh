// When a scale-out warp publishes its tail updates.
#pragma once

#include "fanin/kernels/device/transport.cuh"

namespace fanin::kernels::roles {

/// A NIC's queue keeps a tail behind its rows, so the warp posts it and goes on. A direct store has
/// no such queue: there the warp holds the tail back for a few puts, so that it need not stand and
/// wait for its rows to arrive. Lane 0 adds; every lane keeps the same state.
template <class Transport>
class TailPublisher {
 public:
  __device__ TailPublisher(const Transport& transport, int queue)
      : transport_(transport), queue_(queue) {}

  /// After every put.
  __device__ void row_sent() {
    if constexpr (!Transport::kStages) {
      if (++age_ == kHeldPuts && word_ != nullptr) {
        if (threadIdx.x % 32 == 0)
          transport_.template add_behind<kHeldPuts>(queue_, peer_, word_, value_);
        word_ = nullptr;
      }
    }
  }

  __device__ void publish(int peer, device::Word* word, device::Word value) {
    if constexpr (Transport::kStages) {
      if (threadIdx.x % 32 == 0) transport_.add(queue_, peer, word, value);
    } else {
      if (word_ != nullptr && threadIdx.x % 32 == 0) transport_.add(queue_, peer_, word_, value_);
      peer_ = peer;
      word_ = word;
      value_ = value;
      age_ = 0;
    }
  }

  /// What is still held back, after order_puts.
  __device__ void flush_ordered() {
    if constexpr (!Transport::kStages) {
      if (word_ != nullptr && threadIdx.x % 32 == 0) {
        transport_.add_ordered(queue_, peer_, word_, value_);
      }
      word_ = nullptr;
    }
  }

 private:
  static constexpr int kHeldPuts = 3;

  const Transport& transport_;
  int queue_;
  int peer_ = 0;
  int age_ = 0;
  device::Word* word_ = nullptr;
  device::Word value_ = 0;
};

}  // namespace fanin::kernels::roles
