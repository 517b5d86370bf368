// Memory operations with an explicit order and scope, the clock, and bulk copies. Thin wrappers
// over one PTX instruction each.
#pragma once

#include <cstdint>

namespace fanin::kernels::device {

using Word = unsigned long long;

/// gpu: every rank lives on one device. system: ranks on several devices.
enum class Scope { gpu, system };

template <Scope kScope>
__device__ __forceinline__ Word load_acquire(const Word* word) {
  Word value;
  if constexpr (kScope == Scope::gpu) {
    asm volatile("ld.acquire.gpu.global.u64 %0, [%1];" : "=l"(value) : "l"(word) : "memory");
  } else {
    asm volatile("ld.acquire.sys.global.u64 %0, [%1];" : "=l"(value) : "l"(word) : "memory");
  }
  return value;
}

template <Scope kScope>
__device__ __forceinline__ void store_release(Word* word, Word value) {
  if constexpr (kScope == Scope::gpu) {
    asm volatile("st.release.gpu.global.u64 [%0], %1;" ::"l"(word), "l"(value) : "memory");
  } else {
    asm volatile("st.release.sys.global.u64 [%0], %1;" ::"l"(word), "l"(value) : "memory");
  }
}

template <Scope kScope>
__device__ __forceinline__ void add_release(Word* word, Word value) {
  if constexpr (kScope == Scope::gpu) {
    asm volatile("red.release.gpu.global.add.u64 [%0], %1;" ::"l"(word), "l"(value) : "memory");
  } else {
    asm volatile("red.release.sys.global.add.u64 [%0], %1;" ::"l"(word), "l"(value) : "memory");
  }
}

template <Scope kScope>
__device__ __forceinline__ void add_relaxed(Word* word, Word value) {
  if constexpr (kScope == Scope::gpu) {
    asm volatile("red.relaxed.gpu.global.add.u64 [%0], %1;" ::"l"(word), "l"(value) : "memory");
  } else {
    asm volatile("red.relaxed.sys.global.add.u64 [%0], %1;" ::"l"(word), "l"(value) : "memory");
  }
}

template <Scope kScope>
__device__ __forceinline__ void fence() {
  if constexpr (kScope == Scope::gpu) {
    __threadfence();
  } else {
    __threadfence_system();
  }
}

/// Orders what this thread did or saw before with its later relaxed accesses. Cheaper than fence(),
/// which also takes part in one order over all threads.
template <Scope kScope>
__device__ __forceinline__ void fence_release() {
  if constexpr (kScope == Scope::gpu) {
    asm volatile("fence.acq_rel.gpu;" ::: "memory");
  } else {
    asm volatile("fence.acq_rel.sys;" ::: "memory");
  }
}

/// Nanoseconds of the device-wide timer; steps of 32 ns on an H200.
__device__ __forceinline__ std::uint64_t global_ns() {
  std::uint64_t ns;
  asm volatile("mov.u64 %0, %globaltimer;" : "=l"(ns));
  return ns;
}

__device__ __forceinline__ std::uint32_t sm_id() {
  std::uint32_t id;
  asm volatile("mov.u32 %0, %smid;" : "=r"(id));
  return id;
}

__device__ __forceinline__ std::uint32_t shared_address(const void* pointer) {
  return static_cast<std::uint32_t>(__cvta_generic_to_shared(pointer));
}

/// Orders this thread's generic accesses before its later bulk copies (and the other way round for
/// data that it has acquired).
__device__ __forceinline__ void fence_proxy_async() {
  asm volatile("fence.proxy.async;" ::: "memory");
}

/// The same for shared memory alone, which does not wait for loads under way from global memory.
__device__ __forceinline__ void fence_proxy_async_shared() {
  asm volatile("fence.proxy.async.shared::cta;" ::: "memory");
}

__device__ __forceinline__ void mbarrier_init(std::uint64_t* barrier, std::uint32_t arrivals) {
  asm volatile("mbarrier.init.shared::cta.b64 [%0], %1;" ::"r"(shared_address(barrier)),
               "r"(arrivals)
               : "memory");
}

/// Makes initialised mbarriers visible to the copy engine.
__device__ __forceinline__ void mbarrier_init_fence() {
  asm volatile("fence.mbarrier_init.release.cluster;" ::: "memory");
}

__device__ __forceinline__ void mbarrier_expect(std::uint64_t* barrier, std::uint32_t bytes) {
  asm volatile(
      "mbarrier.arrive.expect_tx.shared::cta.b64 _, [%0], %1;" ::"r"(shared_address(barrier)),
      "r"(bytes)
      : "memory");
}

__device__ __forceinline__ void mbarrier_arrive(std::uint64_t* barrier) {
  asm volatile("mbarrier.arrive.shared::cta.b64 _, [%0];" ::"r"(shared_address(barrier))
               : "memory");
}

/// Whether the phase of this parity is complete; may first wait for it, for a time that the
/// hardware limits.
__device__ __forceinline__ bool mbarrier_complete(std::uint64_t* barrier, std::uint32_t parity) {
  std::uint32_t done = 0;
  asm volatile(
      "{\n.reg .pred p;\nmbarrier.try_wait.parity.shared::cta.b64 p, [%1], %2;\nselp.u32 %0, 1, 0, "
      "p;\n}"
      : "=r"(done)
      : "r"(shared_address(barrier)), "r"(parity)
      : "memory");
  return done != 0;
}

/// One thread. bytes, both addresses: multiples of 16.
__device__ __forceinline__ void bulk_load(void* shared, const void* global, std::uint32_t bytes,
                                          std::uint64_t* barrier) {
  asm volatile(
      "cp.async.bulk.shared::cluster.global.mbarrier::complete_tx::bytes [%0], [%1], %2, [%3];" ::
          "r"(shared_address(shared)),
      "l"(global), "r"(bytes), "r"(shared_address(barrier))
      : "memory");
}

/// One thread; followed by bulk_commit. bytes, both addresses: multiples of 16.
__device__ __forceinline__ void bulk_store(void* global, const void* shared, std::uint32_t bytes) {
  asm volatile("cp.async.bulk.global.shared::cta.bulk_group [%0], [%1], %2;" ::"l"(global),
               "r"(shared_address(shared)), "r"(bytes)
               : "memory");
}

__device__ __forceinline__ void bulk_commit() {
  asm volatile("cp.async.bulk.commit_group;" ::: "memory");
}

/// All but the last kPending groups of this thread's bulk stores are complete and visible to it.
template <int kPending>
__device__ __forceinline__ void bulk_wait() {
  asm volatile("cp.async.bulk.wait_group %0;" ::"n"(kPending) : "memory");
}
__device__ __forceinline__ void bulk_wait_all() { bulk_wait<0>(); }

/// All but the last kPending groups of this thread's bulk stores have read their shared memory.
template <int kPending>
__device__ __forceinline__ void bulk_wait_read() {
  asm volatile("cp.async.bulk.wait_group.read %0;" ::"n"(kPending) : "memory");
}

}  // namespace fanin::kernels::device
