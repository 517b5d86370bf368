#include "fanin/hw/profile.hpp"

#include "fuzz.hpp"

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  return fanin::fuzz::expect_input_errors([&] {
    const auto profile =
        fanin::hw::parse_profile(std::string(fanin::fuzz::text_of(data, size)), "fuzz");
    const std::string text = fanin::hw::to_json(profile);
    if (fanin::hw::to_json(fanin::hw::parse_profile(text, "own")) != text) __builtin_trap();
  });
}
