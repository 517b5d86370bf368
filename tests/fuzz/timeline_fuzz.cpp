#include "fanin/calibrate/timeline.hpp"

#include "fuzz.hpp"

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  return fanin::fuzz::expect_input_errors(
      [&] { fanin::calibrate::read_timelines({fanin::fuzz::file_of(data, size)}); });
}
