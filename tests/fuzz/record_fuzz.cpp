#include "fanin/calibrate/record.hpp"

#include "fuzz.hpp"

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  return fanin::fuzz::expect_input_errors([&] {
    const auto record = fanin::calibrate::parse_record(fanin::fuzz::text_of(data, size), "fuzz:1");
    if (record) fanin::fuzz::read_back(*record);
  });
}
