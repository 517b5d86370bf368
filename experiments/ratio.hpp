// "3:1", an A:F ratio.
#pragma once

#include <string>

namespace fanin::experiments {

/// Attention to FFN, in domains (hybrid, direct) or GPUs (nvlink).
struct Ratio {
  int attention = 1;
  int ffn = 1;
};

/// Throws InputError ("--ratio") for anything but two whole numbers from 1 to 1024.
Ratio parse_ratio(const std::string& text);

}  // namespace fanin::experiments
