#include "fanin/calibrate/kernel_tracer.hpp"

#include <cupti.h>
#include <dlfcn.h>

#include <algorithm>
#include <cstdlib>
#include <map>
#include <mutex>

#include "fanin/hw/error.hpp"

namespace fanin::calibrate {
namespace {

constexpr std::size_t kBufferBytes = std::size_t{4} << 20;
constexpr std::size_t kBufferAlign = 8;

/// The functions of CUPTI that the tracer calls.
struct Library {
  decltype(&cuptiActivityEnable) enable = nullptr;
  decltype(&cuptiActivityDisable) disable = nullptr;
  decltype(&cuptiActivityRegisterCallbacks) register_callbacks = nullptr;
  decltype(&cuptiActivityFlushAll) flush_all = nullptr;
  decltype(&cuptiActivityGetNextRecord) next_record = nullptr;
  decltype(&cuptiActivityGetNumDroppedRecords) dropped_records = nullptr;

  bool complete() const {
    return enable != nullptr && disable != nullptr && register_callbacks != nullptr &&
           flush_all != nullptr && next_record != nullptr && dropped_records != nullptr;
  }
};

Library load() {
  const char* chosen = std::getenv("FANIN_CUPTI");
  const char* const names[] = {chosen != nullptr ? chosen : "libcupti.so.13", "libcupti.so.13",
                               "libcupti.so", "/usr/local/cuda/lib64/libcupti.so",
                               "/usr/local/cuda/extras/CUPTI/lib64/libcupti.so"};
  void* handle = nullptr;
  for (const char* name : names) {
    if (handle == nullptr) handle = dlopen(name, RTLD_LAZY | RTLD_LOCAL);
  }
  Library library;
  if (handle == nullptr) return library;
  const auto find = [&](auto& function, const char* name) {
    function = reinterpret_cast<std::remove_reference_t<decltype(function)>>(dlsym(handle, name));
  };
  find(library.enable, "cuptiActivityEnable");
  find(library.disable, "cuptiActivityDisable");
  find(library.register_callbacks, "cuptiActivityRegisterCallbacks");
  find(library.flush_all, "cuptiActivityFlushAll");
  find(library.next_record, "cuptiActivityGetNextRecord");
  find(library.dropped_records, "cuptiActivityGetNumDroppedRecords");
  return library;
}

/// CUPTI's callbacks carry no user data, so what they fill is one object of the process.
struct Collection {
  Library library = load();
  std::mutex mutex;
  KernelTrace trace;
  std::map<std::string, std::string> names;  ///< symbol -> plain name
};

Collection& collection() {
  static Collection instance;
  return instance;
}

void CUPTIAPI request_buffer(std::uint8_t** buffer, std::size_t* size, std::size_t* most_records) {
  *size = kBufferBytes;
  *most_records = 0;
  *buffer = static_cast<std::uint8_t*>(std::aligned_alloc(kBufferAlign, kBufferBytes));
}

void take(Collection& into, const CUpti_ActivityKernel10& kernel) {
  if (kernel.start == 0 || kernel.end <= kernel.start) {
    ++into.trace.without_time;
    return;
  }
  std::string& name = into.names[kernel.name];
  if (name.empty()) name = kernel_name(kernel.name);
  into.trace.kernels.push_back({name, kernel.deviceId, kernel.streamId, kernel.start, kernel.end,
                                kernel.gridX * kernel.gridY * kernel.gridZ,
                                kernel.blockX * kernel.blockY * kernel.blockZ});
}

void CUPTIAPI buffer_done(CUcontext context, std::uint32_t stream, std::uint8_t* buffer,
                          std::size_t, std::size_t valid) {
  Collection& into = collection();
  const std::lock_guard lock(into.mutex);
  CUpti_Activity* record = nullptr;
  while (into.library.next_record(buffer, valid, &record) == CUPTI_SUCCESS) {
    if (record->kind == CUPTI_ACTIVITY_KIND_CONCURRENT_KERNEL) {
      take(into, *reinterpret_cast<const CUpti_ActivityKernel10*>(record));
    }
  }
  std::size_t dropped = 0;
  if (into.library.dropped_records(context, stream, &dropped) == CUPTI_SUCCESS) {
    into.trace.dropped += dropped;
  }
  std::free(buffer);
}

}  // namespace

std::string KernelTracer::missing() {
  return collection().library.complete()
             ? std::string{}
             : "CUPTI (libcupti.so.13) is not to be found; set FANIN_CUPTI to its path";
}

KernelTracer::KernelTracer() {
  if (const std::string what = missing(); !what.empty())
    throw InputError("trace", what, "CUPTI 12 or later");
  const Library& library = collection().library;
  if (library.register_callbacks(request_buffer, buffer_done) != CUPTI_SUCCESS ||
      library.enable(CUPTI_ACTIVITY_KIND_CONCURRENT_KERNEL) != CUPTI_SUCCESS) {
    throw InputError("trace", "CUPTI refuses to record kernels",
                     "no other profiler in this process");
  }
}

KernelTracer::~KernelTracer() {
  collection().library.disable(CUPTI_ACTIVITY_KIND_CONCURRENT_KERNEL);
}

KernelTrace KernelTracer::collect() {
  Collection& from = collection();
  from.library.flush_all(0);
  const std::lock_guard lock(from.mutex);
  KernelTrace trace = std::move(from.trace);
  from.trace = {};
  std::sort(trace.kernels.begin(), trace.kernels.end(),
            [](const TracedKernel& a, const TracedKernel& b) { return a.start_ns < b.start_ns; });
  return trace;
}

}  // namespace fanin::calibrate
