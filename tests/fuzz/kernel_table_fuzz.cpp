#include "fanin/calibrate/trace_import.hpp"

#include "fuzz.hpp"

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  return fanin::fuzz::expect_input_errors([&] {
    fanin::calibrate::TraceOptions options;
    options.kernels = fanin::fuzz::file_of(data, size);
    fanin::calibrate::import_chrome({FANIN_SOURCE_DIR "/tests/records/samples/kineto_rank0.json"},
                                    options, fanin::fuzz::read_back);
  });
}
