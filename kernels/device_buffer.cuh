// Device memory that frees itself.
#pragma once

#include <cuda_runtime.h>

#include <utility>
#include <vector>

#include "fanin/kernels/cuda_check.cuh"

namespace fanin::kernels {

/// `count` zeroed elements of a trivially copyable type.
template <class T>
class DeviceBuffer {
 public:
  explicit DeviceBuffer(std::size_t count) : count_(count) {
    FANIN_CUDA_CHECK(cudaMalloc(&data_, count * sizeof(T)));
    FANIN_CUDA_CHECK(cudaMemset(data_, 0, count * sizeof(T)));
  }
  explicit DeviceBuffer(const std::vector<T>& values) : DeviceBuffer(values.size()) {
    FANIN_CUDA_CHECK(cudaMemcpy(data_, values.data(), count_ * sizeof(T), cudaMemcpyHostToDevice));
  }
  DeviceBuffer(DeviceBuffer&& other) noexcept
      : data_(std::exchange(other.data_, nullptr)), count_(std::exchange(other.count_, 0)) {}
  DeviceBuffer(const DeviceBuffer&) = delete;
  DeviceBuffer& operator=(const DeviceBuffer&) = delete;
  ~DeviceBuffer() { FANIN_CUDA_WARN(cudaFree(data_)); }

  T* get() const { return data_; }
  std::size_t size() const { return count_; }

  /// The first `count` elements, once earlier work on the default stream has ended.
  std::vector<T> download(std::size_t count) const {
    std::vector<T> values(count);
    FANIN_CUDA_CHECK(cudaMemcpy(values.data(), data_, count * sizeof(T), cudaMemcpyDeviceToHost));
    return values;
  }
  std::vector<T> download() const { return download(count_); }

 private:
  T* data_ = nullptr;
  std::size_t count_ = 0;
};

}  // namespace fanin::kernels
