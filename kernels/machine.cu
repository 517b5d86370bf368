#include <cuda_runtime.h>
#include <dlfcn.h>

#include "environment.hpp"
#include "fanin/kernels/cuda_check.cuh"
#include "fanin/kernels/run.hpp"

namespace fanin::kernels {

namespace {

/// The management library, loaded when used.
class Management {
 public:
  Management() : library_(dlopen("libnvidia-ml.so.1", RTLD_LAZY | RTLD_LOCAL)) {
    if (library_ == nullptr) return;
    const auto init = function<int()>("nvmlInit_v2");
    const auto handle = function<int(unsigned, void**)>("nvmlDeviceGetHandleByIndex_v2");
    if (init == nullptr || handle == nullptr || init() != 0 || handle(0, &device_) != 0)
      device_ = nullptr;
  }

  std::string driver() const {
    char text[96] = {};
    const auto get = function<int(char*, unsigned)>("nvmlSystemGetDriverVersion");
    return get != nullptr && get(text, sizeof text) == 0 ? text : "";
  }

  int sm_clock(const char* name) const {
    constexpr int kSmClock = 1;
    unsigned mhz = 0;
    const auto get = function<int(void*, int, unsigned*)>(name);
    return device_ != nullptr && get != nullptr && get(device_, kSmClock, &mhz) == 0
               ? static_cast<int>(mhz)
               : 0;
  }

 private:
  template <class F>
  F* function(const char* name) const {
    return library_ == nullptr ? nullptr : reinterpret_cast<F*>(dlsym(library_, name));
  }

  void* library_;
  void* device_ = nullptr;
};

}  // namespace

Machine machine() {
  prepare_environment();
  Machine out;
  try {
    cudaDeviceProp properties{};
    int device = 0;
    FANIN_CUDA_CHECK(cudaGetDevice(&device));
    FANIN_CUDA_CHECK(cudaGetDeviceProperties(&properties, device));
    out.gpu = properties.name;
    out.sms = properties.multiProcessorCount;
  } catch (const CudaError& error) {
    throw RunFailure(error.what());
  }
  const Management management;
  out.driver = management.driver();
  out.sm_clock_mhz = management.sm_clock("nvmlDeviceGetClockInfo");
  out.max_sm_clock_mhz = management.sm_clock("nvmlDeviceGetMaxClockInfo");
  return out;
}

}  // namespace fanin::kernels
