// "3:1", an A:F ratio, and "1:0.7,128:0.3", a mix of token counts.
#pragma once

#include <string>
#include <vector>

namespace fanin::experiments {

/// Attention to FFN, in domains (hybrid, direct) or GPUs (nvlink).
struct Ratio {
  int attention = 1;
  int ffn = 1;
};

/// Throws InputError ("--ratio") for anything but two whole numbers ≥ 1.
Ratio parse_ratio(const std::string& text);

struct TokenShare {
  int tokens = 1;
  double share = 1.0;  ///< of the exchanges; the shares of a mix sum to 1
};

/// "8", "1,8,128" (equal shares) or "1:0.7,128:0.3" (shares in any unit). Throws InputError
/// ("--tokens").
std::vector<TokenShare> parse_token_mix(const std::string& text);

}  // namespace fanin::experiments
