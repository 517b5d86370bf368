// The tokens of one channel, on their way from a source's input to the stages of its scale-out
// warp.
#pragma once

#include "roles/common.cuh"

namespace fanin::kernels::roles {

/// Goes round a ring of stages without divisions.
class StageCursor {
 public:
  __device__ StageCursor(int depth, int stage_bytes) : depth_(depth), stage_bytes_(stage_bytes) {}

  __device__ int index() const { return index_; }
  __device__ int offset() const { return offset_; }
  __device__ std::uint32_t parity() const { return parity_; }

  __device__ void advance() {
    offset_ += stage_bytes_;
    if (++index_ < depth_) return;
    index_ = 0;
    offset_ = 0;
    parity_ ^= 1;
  }

 private:
  int depth_;
  int stage_bytes_;
  int index_ = 0;
  int offset_ = 0;
  std::uint32_t parity_ = 0;
};

/// expert / local_experts by a multiplication: exact, since experts are fewer than 2^16.
class OwnerOf {
 public:
  __device__ explicit OwnerOf(const Shape& shape) {
    const auto local = static_cast<std::uint32_t>(shape.local_experts());
    reciprocal_ = ((std::uint64_t{1} << 32) + local - 1) / local;
  }
  __device__ int operator()(int expert) const {
    return static_cast<int>(static_cast<std::uint32_t>(expert) * reciprocal_ >> 32);
  }

 private:
  std::uint64_t reciprocal_;
};

template <class T>
__device__ __forceinline__ T* shuffle_pointer(T* pointer, int lane) {
  return reinterpret_cast<T*>(
      __shfl_sync(kFullMask, reinterpret_cast<unsigned long long>(pointer), lane));
}

/// Loads rows and choices, in order, into the next stage each; the caller sees that it is free.
class TokenLoader {
 public:
  /// What the mbarrier of a stage waits for: the expectation of the bulk copies and, where the
  /// choices are no multiple of 16 B, every lane's own copies of them.
  __device__ static std::uint32_t arrivals(const Shape& shape) {
    return in_bulk(shape) ? 1 : 1 + 32;
  }

  __device__ TokenLoader(const Shape& shape, const SourceMemory& memory, int channel, int count,
                         char* rows, int stage_bytes, std::uint64_t* full, int depth)
      : left_(count),
        rows_(rows),
        full_(full),
        stage_(depth, stage_bytes),
        in_bulk_(in_bulk(shape)),
        top_k_(shape.top_k),
        payload_(static_cast<std::uint32_t>(layout::payload_bytes(shape))),
        expert_at_(static_cast<int>(layout::expert_offset(shape))),
        weight_at_(static_cast<int>(layout::weight_offset(shape))) {
    const auto first = static_cast<std::size_t>(shape.first_token(channel, memory.source));
    const auto channels = static_cast<std::size_t>(shape.channels());
    const auto top_k = static_cast<std::size_t>(shape.top_k);
    input_ = memory.input + first * payload_;
    experts_ = memory.experts + first * top_k;
    weights_ = memory.weights + first * top_k;
    input_step_ = channels * payload_;
    choice_step_ = channels * top_k;
  }

  /// Whole warp; does nothing when all tokens are loaded.
  __device__ void load_next() {
    if (left_ == 0) return;
    --left_;
    char* row = rows_ + stage_.offset();
    std::uint64_t* barrier = full_ + stage_.index();
    const auto choice_bytes = static_cast<std::uint32_t>(top_k_) * 4;
    if (lane_id() == 0) {
      device::mbarrier_expect(barrier, payload_ + (in_bulk_ ? 2 * choice_bytes : 0));
      device::bulk_load(row, input_, payload_, barrier);
      if (in_bulk_) {
        device::bulk_load(row + expert_at_, experts_, choice_bytes, barrier);
        device::bulk_load(row + weight_at_, weights_, choice_bytes, barrier);
      }
    }
    if (!in_bulk_) {
      if (lane_id() < top_k_) {
        const int field = lane_id() * 4;
        device::copy4_async(row + expert_at_ + field, experts_ + lane_id());
        device::copy4_async(row + weight_at_ + field, weights_ + lane_id());
      }
      device::async_copies_arrive(barrier);
    }
    input_ += input_step_;
    experts_ += choice_step_;
    weights_ += choice_step_;
    stage_.advance();
  }

 private:
  __device__ static bool in_bulk(const Shape& shape) {
    return shape.top_k * 4 % static_cast<int>(layout::kVector) == 0;
  }

  int left_;
  char* rows_;
  std::uint64_t* full_;
  StageCursor stage_;
  bool in_bulk_;
  int top_k_;
  std::uint32_t payload_;
  int expert_at_;
  int weight_at_;
  const char* input_;
  const std::int32_t* experts_;
  const float* weights_;
  std::size_t input_step_;
  std::size_t choice_step_;
};

}  // namespace fanin::kernels::roles
