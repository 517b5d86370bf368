// Copies of rows by transport warps: rate by number of SMs, with 16-byte accesses and with the bulk
// copy engine, and the serial chain of one row after another.
#include "bench.cuh"

namespace fanin::probe {
namespace {

constexpr int kRowBytes = 4224;
constexpr int kWarpsPerSm = 8;
constexpr int kStages = 3;

__device__ __forceinline__ std::uint32_t shared_address(const void* pointer) {
  return static_cast<std::uint32_t>(__cvta_generic_to_shared(pointer));
}

__device__ __forceinline__ void bulk_load(void* shared, const void* global,
                                          std::uint64_t* barrier) {
  asm volatile(
      "mbarrier.arrive.expect_tx.shared::cta.b64 _, [%0], %1;" ::"r"(shared_address(barrier)),
      "r"(kRowBytes)
      : "memory");
  asm volatile(
      "cp.async.bulk.shared::cluster.global.mbarrier::complete_tx::bytes [%0], [%1], %2, [%3];" ::
          "r"(shared_address(shared)),
      "l"(global), "r"(kRowBytes), "r"(shared_address(barrier))
      : "memory");
}

__device__ __forceinline__ bool phase_done(std::uint64_t* barrier, std::uint32_t parity) {
  std::uint32_t done;
  asm volatile(
      "{\n.reg .pred p;\nmbarrier.try_wait.parity.shared::cta.b64 p, [%1], %2;\nselp.u32 %0, 1, 0, "
      "p;\n}"
      : "=r"(done)
      : "r"(shared_address(barrier)), "r"(parity)
      : "memory");
  return done != 0;
}

__device__ __forceinline__ void bulk_store(void* global, const void* shared) {
  asm volatile("cp.async.bulk.global.shared::cta.bulk_group [%0], [%1], %2;" ::"l"(global),
               "r"(shared_address(shared)), "r"(kRowBytes)
               : "memory");
  asm volatile("cp.async.bulk.commit_group;" ::: "memory");
}

/// Warp w of all copies rows w, w + warps, …
__global__ void plain_kernel(const unsigned char* from, unsigned char* to, int rows) {
  const int warps = static_cast<int>(gridDim.x) * kWarpsPerSm;
  const int lane = static_cast<int>(threadIdx.x) % 32;
  constexpr int kPieces = kRowBytes / 16;
  constexpr int kUnroll = (kPieces + 31) / 32;
  for (int row = static_cast<int>(blockIdx.x) * kWarpsPerSm + static_cast<int>(threadIdx.x) / 32;
       row < rows; row += warps) {
    const auto* const source =
        reinterpret_cast<const uint4*>(from) + static_cast<std::int64_t>(row) * kPieces;
    auto* const target = reinterpret_cast<uint4*>(to) + static_cast<std::int64_t>(row) * kPieces;
    uint4 piece[kUnroll];
#pragma unroll
    for (int i = 0; i < kUnroll; ++i) {
      if (lane + 32 * i < kPieces) piece[i] = __ldcs(source + lane + 32 * i);
    }
#pragma unroll
    for (int i = 0; i < kUnroll; ++i) {
      if (lane + 32 * i < kPieces) __stcs(target + lane + 32 * i, piece[i]);
    }
  }
}

/// The same through shared memory by the bulk copy engine, one thread a warp. kFullWait: each row's
/// stores are complete before the next row is loaded, as in a chain of dependent rows.
template <bool kFullWait>
__global__ void bulk_kernel(const unsigned char* from, unsigned char* to, int rows) {
  extern __shared__ __align__(128) unsigned char buffers[];
  __shared__ std::uint64_t barriers[kWarpsPerSm * kStages];
  if (threadIdx.x % 32 != 0) return;
  const int in_sm = static_cast<int>(threadIdx.x) / 32;
  const int warps = static_cast<int>(gridDim.x * (blockDim.x / 32));
  const int first = static_cast<int>(blockIdx.x * (blockDim.x / 32)) + in_sm;
  unsigned char* const mine = buffers + in_sm * kStages * kRowBytes;
  std::uint64_t* const barrier = barriers + in_sm * kStages;
  for (int i = 0; i < kStages; ++i) {
    asm volatile("mbarrier.init.shared::cta.b64 [%0], 1;" ::"r"(shared_address(barrier + i))
                 : "memory");
  }
  asm volatile("fence.mbarrier_init.release.cluster;" ::: "memory");
  const auto address = [&](int row) { return static_cast<std::int64_t>(row) * kRowBytes; };
  const int ahead = kFullWait ? 1 : kStages - 1;
  int loaded = first;
  for (int i = 0; i < ahead && loaded < rows; ++i, loaded += warps) {
    bulk_load(mine + i * kRowBytes, from + address(loaded), barrier + i);
  }
  int stage = 0;
  std::uint32_t parity = 0;
  for (int row = first; row < rows; row += warps) {
    if (!spin_until([&] { return phase_done(barrier + stage, parity); })) return;
    bulk_store(to + address(row), mine + stage * kRowBytes);
    if constexpr (kFullWait) {
      asm volatile("cp.async.bulk.wait_group 0;" ::: "memory");
    } else {
      // The buffer of the row before must have been read before it is loaded again.
      asm volatile("cp.async.bulk.wait_group.read 1;" ::: "memory");
    }
    if (loaded < rows) {
      const int next = (stage + ahead) % kStages;
      bulk_load(mine + next * kRowBytes, from + address(loaded), barrier + next);
      loaded += warps;
    }
    if (++stage == kStages) {
      stage = 0;
      parity ^= 1;
    }
  }
  asm volatile("cp.async.bulk.wait_group 0;" ::: "memory");
}

constexpr int kBulkShared = kWarpsPerSm * kStages * kRowBytes;
// Keeps a second CTA off the SM.
constexpr int kPlainShared = 120 * 1024;

}  // namespace

void add_copy_benches(Benches& benches, const Chip& chip) {
  // Rows for the largest run: far more than the L2 holds.
  const std::size_t most = std::size_t{65536} * kRowBytes;
  const Memory<unsigned char> from(most);
  const Memory<unsigned char> to(most);
  FANIN_PROBE_CHECK(cudaFuncSetAttribute(plain_kernel, cudaFuncAttributeMaxDynamicSharedMemorySize,
                                         kPlainShared));
  FANIN_PROBE_CHECK(cudaFuncSetAttribute(bulk_kernel<false>,
                                         cudaFuncAttributeMaxDynamicSharedMemorySize, kBulkShared));
  FANIN_PROBE_CHECK(cudaFuncSetAttribute(bulk_kernel<true>,
                                         cudaFuncAttributeMaxDynamicSharedMemorySize, kBulkShared));
  for (const int sms : {1, 2, 4, 8, 16, 24, 32, 48, 64, 96, chip.sms}) {
    if (sms > chip.sms) continue;
    const int rows = std::min(65536, 2048 * sms);
    const double bytes = 2.0 * rows * kRowBytes;
    const double high = std::min(1.02 * chip.memory_gbps, sms * chip.sm_copy_gbps);
    benches.push_back({{"copy.plain.sms_" + std::to_string(sms),
                        "GB/s",
                        "Rows of 4,224 B by 8 warps an SM with 16-byte accesses, read and written "
                        "bytes.",
                        "",
                        {},
                        1,
                        high},
                       [=] {
                         return bytes / event_ns([&] {
                                  plain_kernel<<<sms, 32 * kWarpsPerSm, kPlainShared>>>(
                                      from.get(), to.get(), rows);
                                });
                       }});
    benches.push_back({{"copy.bulk.sms_" + std::to_string(sms),
                        "GB/s",
                        "The same by the bulk copy engine, 3 rows deep a warp.",
                        "",
                        {},
                        1,
                        high},
                       [=] {
                         return bytes / event_ns([&] {
                                  bulk_kernel<false><<<sms, 32 * kWarpsPerSm, kBulkShared>>>(
                                      from.get(), to.get(), rows);
                                });
                       }});
  }
  for (const int warps : {1, kWarpsPerSm}) {
    benches.push_back(
        {{"copy.chain.warps_" + std::to_string(warps),
          "ns",
          "One row of 4,224 B: bulk load, bulk store, wait for it to be complete; that "
          "many warps of one SM at once.",
          "",
          {},
          100 * chip.cycle_ns,
          100'000},
         [=] {
           constexpr int kRowsAWarp = 256;
           return event_ns([&] {
                    bulk_kernel<true>
                        <<<1, 32 * warps, kBulkShared>>>(from.get(), to.get(), kRowsAWarp * warps);
                  }) /
                  kRowsAWarp;
         }});
  }
}

}  // namespace fanin::probe
