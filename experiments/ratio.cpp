#include "ratio.hpp"

#include <charconv>

#include "fanin/hw/error.hpp"

namespace fanin::experiments {
namespace {

bool parse(const std::string& text, int& value) {
  const char* end = text.data() + text.size();
  const auto result = std::from_chars(text.data(), end, value);
  return result.ec == std::errc{} && result.ptr == end && value >= 1 && value <= 1024;
}

}  // namespace

Ratio parse_ratio(const std::string& text) {
  const std::size_t colon = text.find(':');
  Ratio ratio;
  if (colon == std::string::npos || !parse(text.substr(0, colon), ratio.attention) ||
      !parse(text.substr(colon + 1), ratio.ffn)) {
    throw InputError("--ratio", "'" + text + "'", "Attention:FFN, such as 3:1");
  }
  return ratio;
}

}  // namespace fanin::experiments
