// The exchange's epilogues with every SM: rows gathered into expert order, and rows reduced to
// tokens.
#include <cuda_bf16.h>

#include "bench.cuh"

namespace fanin::probe {
namespace {

constexpr int kHidden = 2048;
constexpr int kRowPieces = kHidden * 2 / 16;
constexpr int kTopK = 8;
constexpr int kTokens = 4096;
constexpr int kRows = kTokens * kTopK;

/// Where expert row `row` comes from: a permutation, so that neighbours lie apart.
__device__ __forceinline__ int token_of(int row) { return (row * 2971) % kRows / kTopK; }

/// A warp a row.
__global__ void expand_kernel(const uint4* tokens, uint4* rows) {
  const int warps = static_cast<int>(gridDim.x * blockDim.x / 32);
  const int lane = static_cast<int>(threadIdx.x) % 32;
  for (int row = static_cast<int>((blockIdx.x * blockDim.x + threadIdx.x) / 32); row < kRows;
       row += warps) {
    const uint4* const from = tokens + static_cast<std::int64_t>(token_of(row)) * kRowPieces;
    uint4* const to = rows + static_cast<std::int64_t>(row) * kRowPieces;
#pragma unroll
    for (int i = 0; i < kRowPieces / 32; ++i) to[lane + 32 * i] = __ldg(from + lane + 32 * i);
  }
}

/// A warp a token: the sum of its kTopK rows.
__global__ void reduce_kernel(const uint4* rows, uint4* tokens) {
  const int warps = static_cast<int>(gridDim.x * blockDim.x / 32);
  const int lane = static_cast<int>(threadIdx.x) % 32;
  for (int token = static_cast<int>((blockIdx.x * blockDim.x + threadIdx.x) / 32); token < kTokens;
       token += warps) {
    for (int piece = lane; piece < kRowPieces; piece += 32) {
      float sum[8] = {};
      uint4 values[kTopK];
#pragma unroll
      for (int k = 0; k < kTopK; ++k) {
        values[k] =
            __ldcs(rows + (static_cast<std::int64_t>(token) * kTopK + k) * kRowPieces + piece);
      }
#pragma unroll
      for (int k = 0; k < kTopK; ++k) {
        const auto* const pairs = reinterpret_cast<const __nv_bfloat162*>(&values[k]);
#pragma unroll
        for (int i = 0; i < 4; ++i) {
          const float2 pair = __bfloat1622float2(pairs[i]);
          sum[2 * i] += pair.x;
          sum[2 * i + 1] += pair.y;
        }
      }
      uint4 out;
      auto* const pairs = reinterpret_cast<__nv_bfloat162*>(&out);
#pragma unroll
      for (int i = 0; i < 4; ++i) pairs[i] = __floats2bfloat162_rn(sum[2 * i], sum[2 * i + 1]);
      tokens[static_cast<std::int64_t>(token) * kRowPieces + piece] = out;
    }
  }
}

}  // namespace

void add_epilogue_benches(Benches& benches, const Chip& chip) {
  const Memory<uint4> tokens(std::size_t{kTokens} * kRowPieces);
  const Memory<uint4> rows(std::size_t{kRows} * kRowPieces);
  const double row_bytes = kRowPieces * 16.0;
  // Written rows alone bound the time of a row from below.
  benches.push_back(
      {{"epilogue.expand",
        "ns",
        "A row of 4,096 B gathered into expert order, all SMs at work, per row.",
        "",
        {},
        row_bytes / (1.02 * chip.memory_gbps),
        1000},
       [=] {
         return event_ns([&] { expand_kernel<<<chip.sms * 2, 512>>>(tokens.get(), rows.get()); }) /
                kRows;
       }});
  benches.push_back(
      {{"epilogue.reduce",
        "GB/s",
        "Eight rows of 4,096 B summed to one, all SMs at work, read and written bytes.",
        "",
        {},
        10,
        1.02 * chip.memory_gbps},
       [=] {
         return kTokens * (kTopK + 1) * row_bytes /
                event_ns([&] { reduce_kernel<<<chip.sms * 2, 512>>>(rows.get(), tokens.get()); });
       }});
}

}  // namespace fanin::probe
