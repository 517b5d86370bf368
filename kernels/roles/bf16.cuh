// Sums of eight BF16 elements in FP32. Multiplication and addition stay two operations, so that a
// CPU without fused multiply-add gets the same bits.
#pragma once

#include <cuda_bf16.h>

namespace fanin::kernels::roles {

class Sum8 {
 public:
  __device__ void add(const uint4& packed) {
    each(packed, [](float& sum, float x) { sum = __fadd_rn(sum, x); });
  }
  __device__ void add(const uint4& packed, float weight) {
    each(packed, [weight](float& sum, float x) { sum = __fadd_rn(sum, __fmul_rn(weight, x)); });
  }
  __device__ uint4 packed() const {
    return {pair(sum_[0], sum_[1]), pair(sum_[2], sum_[3]), pair(sum_[4], sum_[5]),
            pair(sum_[6], sum_[7])};
  }

 private:
  template <class Step>
  __device__ void each(const uint4& packed, Step step) {
    const unsigned words[4] = {packed.x, packed.y, packed.z, packed.w};
#pragma unroll
    for (int i = 0; i < 4; ++i) {
      step(sum_[2 * i], __uint_as_float(words[i] << 16));
      step(sum_[2 * i + 1], __uint_as_float(words[i] & 0xffff0000u));
    }
  }
  static __device__ unsigned pair(float low, float high) {
    const __nv_bfloat162 both = __floats2bfloat162_rn(low, high);
    return *reinterpret_cast<const unsigned*>(&both);
  }

  float sum_[8] = {};
};

}  // namespace fanin::kernels::roles
