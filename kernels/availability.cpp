#include "fanin/kernels/availability.hpp"

#include <dlfcn.h>

#include "environment.hpp"

namespace fanin::kernels {

bool built_with_cuda() { return FANIN_HAVE_CUDA != 0; }

std::string missing() {
  if (!built_with_cuda()) {
    return "built without CUDA: configure with a CUDA toolkit (nvcc) on PATH";
  }
  prepare_environment();
  void* driver = dlopen("libcuda.so.1", RTLD_LAZY | RTLD_LOCAL);
  if (driver == nullptr) return "no GPU: the NVIDIA driver (libcuda.so.1) is not installed";
  // The driver API is used through dlopen so that the program starts where there is no driver.
  using Init = int (*)(unsigned);
  using Count = int (*)(int*);
  const auto init = reinterpret_cast<Init>(dlsym(driver, "cuInit"));
  const auto count = reinterpret_cast<Count>(dlsym(driver, "cuDeviceGetCount"));
  if (init == nullptr || count == nullptr || init(0) != 0) {
    return "no GPU: the NVIDIA driver does not start (cuInit failed)";
  }
  int devices = 0;
  if (count(&devices) != 0 || devices == 0) return "no GPU: the driver lists no device";
  return {};
}

}  // namespace fanin::kernels
