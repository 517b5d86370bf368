#include "fanin/model/fixes_text.hpp"

#include "fuzz.hpp"

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  return fanin::fuzz::expect_input_errors([&] {
    // What is printed must be read back as the same.
    const auto fixes = fanin::model::parse_fixes(fanin::fuzz::text_of(data, size));
    if (fanin::model::parse_fixes(fanin::model::fixes_to_string(fixes)) != fixes) __builtin_trap();
  });
}
