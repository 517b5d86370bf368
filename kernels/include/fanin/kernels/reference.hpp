// What an exchange must deliver, computed on the CPU: random rows and weights, and the comparison
// of every delivered byte. No CUDA.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "fanin/kernels/layout.hpp"

namespace fanin::kernels {

/// What one Attention rank puts in. In all of this file, a source is an Attention rank.
struct SourceData {
  int tokens = 0;
  std::vector<std::uint16_t> rows;    ///< BF16 [tokens][hidden], finite
  std::vector<std::int32_t> experts;  ///< [tokens][top_k]
  std::vector<float> weights;         ///< [tokens][top_k], in (0, 1)
};

/// routing: as in RunConfig. The same seed gives the same data.
std::vector<SourceData> draw_data(const Shape& shape, const std::vector<int>& tokens,
                                  const std::vector<std::int32_t>& routing, std::uint64_t seed);

/// What an FFN rank holds after an exchange.
struct FfnDelivery {
  std::vector<std::vector<char>> channel_rows;       ///< dispatch rows at [rail · C + channel]
  std::vector<std::vector<layout::Origin>> origins;  ///< of the same rows; source: of the rail
  std::vector<std::int32_t> expert_begin;            ///< [local_experts + 1]
  std::vector<char> expert_rows;                     ///< payloads
};

/// What a source holds after an exchange.
struct SourceDelivery {
  std::vector<std::vector<char>> returned;  ///< by FFN domain: combine rows of the tokens
  std::vector<char> output;                 ///< payloads of tokens 0 … tokens − 1
};

/// Rows that each FFN rank must receive on each channel of each rail: [ffn][rail · C + channel].
std::vector<std::vector<int>> expected_channel_rows(const Shape& shape,
                                                    const std::vector<SourceData>& sources);

struct CheckResult {
  std::size_t bytes = 0;  ///< compared
  std::size_t wrong = 0;  ///< rows, words or entries that differ
  std::string first;      ///< the first difference, in words

  void fail(const std::string& what);
  void merge(const CheckResult& other);
};

/// Rows as received, in expert order and with their bookkeeping.
CheckResult check_ffn(const Shape& shape, int ffn, const std::vector<SourceData>& sources,
                      const FfnDelivery& delivery);
/// Rows as returned, and their sum. Bit for bit: products and sums in FP32 in the kernels' order.
CheckResult check_source(const Shape& shape, const SourceData& source, int number,
                         const SourceDelivery& delivery);

}  // namespace fanin::kernels
