#include "fanin/calibrate/where.hpp"

#include "fuzz.hpp"

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  return fanin::fuzz::expect_input_errors([&] {
    static const auto record = *fanin::calibrate::parse_record(
        R"({"median_us":20,"tokens":8,"set":"a","x":true})", "fuzz:1");
    fanin::calibrate::Where::parse(fanin::fuzz::text_of(data, size)).matches(record);
  });
}
