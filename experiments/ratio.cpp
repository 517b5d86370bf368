#include "ratio.hpp"

#include <charconv>
#include <cmath>
#include <sstream>

#include "fanin/hw/error.hpp"

namespace fanin::experiments {
namespace {

template <typename Number>
bool parse(const std::string& text, Number& value) {
  const char* end = text.data() + text.size();
  const auto result = std::from_chars(text.data(), end, value);
  return result.ec == std::errc{} && result.ptr == end;
}

}  // namespace

Ratio parse_ratio(const std::string& text) {
  const std::size_t colon = text.find(':');
  Ratio ratio;
  if (colon == std::string::npos || !parse(text.substr(0, colon), ratio.attention) ||
      !parse(text.substr(colon + 1), ratio.ffn) || ratio.attention < 1 || ratio.ffn < 1) {
    throw InputError("--ratio", "'" + text + "'", "Attention:FFN, such as 3:1");
  }
  return ratio;
}

std::vector<TokenShare> parse_token_mix(const std::string& text) {
  std::vector<TokenShare> mix;
  std::istringstream parts(text);
  std::string part;
  double sum = 0.0;
  while (std::getline(parts, part, ',')) {
    const std::size_t colon = part.find(':');
    TokenShare entry;
    const bool shared = colon != std::string::npos;
    if (!parse(part.substr(0, colon), entry.tokens) || entry.tokens < 1 ||
        (shared && !parse(part.substr(colon + 1), entry.share)) || !std::isfinite(entry.share) ||
        entry.share <= 0.0) {
      throw InputError("--tokens", "'" + part + "'", "TOKENS or TOKENS:SHARE, both above 0");
    }
    sum += entry.share;
    mix.push_back(entry);
  }
  if (mix.empty()) throw InputError("--tokens", "is empty", "TOKENS or TOKENS:SHARE,…");
  for (TokenShare& entry : mix) entry.share /= sum;
  return mix;
}

}  // namespace fanin::experiments
