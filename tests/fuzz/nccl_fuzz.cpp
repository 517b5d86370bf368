#include "fanin/calibrate/log_import.hpp"

#include "fuzz.hpp"

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  return fanin::fuzz::expect_input_errors([&] {
    fanin::calibrate::import_nccl_log(fanin::fuzz::file_of(data, size), {}, fanin::fuzz::read_back);
  });
}
