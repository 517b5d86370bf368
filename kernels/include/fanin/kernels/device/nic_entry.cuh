// The emulated NIC's work request, and the rings that it lies in: 32 bytes, written and read as two
// 16-byte halves that carry a tag each, so a reader knows without a fence that a half belongs to
// the ring's present turn.
#pragma once

#include <cstdint>

#include "fanin/kernels/device/memory.cuh"

namespace fanin::kernels::device {

enum class NicOp : std::uint32_t {
  row = 0,     ///< copy `bytes` from the address in `value` to `target`
  add = 1,     ///< add `value` to the word at `target`
  write = 2,   ///< store `value` in the word at `target`
  marker = 3,  ///< as write, but free of cost: tells that all before it has been done
};

/// first.x  low 48 bits: target address; high 16: tag
/// first.y  value, or a row's source address
/// second.x low 32: time in ns (low half of the device timer); high 32: bytes
/// second.y bits 0–15 queue, 16–31 peer (world rank), 32–33 NicOp, 34–39 link, 40 doorbell, 48–63
/// tag
struct NicEntry {
  ulonglong2 first;
  ulonglong2 second;

  __device__ NicOp op() const { return static_cast<NicOp>((second.y >> 32) & 3); }
  __device__ bool doorbell() const { return ((second.y >> 40) & 1) != 0; }
  __device__ int queue() const { return static_cast<int>(second.y & 0xffff); }
  __device__ int peer() const { return static_cast<int>((second.y >> 16) & 0xffff); }
  __device__ std::uint32_t time() const { return static_cast<std::uint32_t>(second.x); }
  __device__ std::uint32_t bytes() const { return static_cast<std::uint32_t>(second.x >> 32); }
  __device__ Word target() const { return first.x & 0xffffffffffffull; }
  __device__ bool tagged(Word tag) const {
    const std::uint32_t both = __byte_perm(static_cast<std::uint32_t>(first.x >> 32),
                                           static_cast<std::uint32_t>(second.y >> 32), 0x7632);
    return both == static_cast<std::uint32_t>(tag | tag << 16);
  }

  /// In a link: the requester's number of the operation, instead of queue and peer; and behind the
  /// link, which of a responder's links it came by, below 64.
  __device__ std::uint32_t number() const { return static_cast<std::uint32_t>(second.y); }
  __device__ void set_number(Word number) {
    second.y = (second.y & ~0xffffffffull) | (number & 0xffffffffull);
  }

  __device__ int link() const { return static_cast<int>((second.y >> 34) & 0x3f); }
  __device__ void set_link(int link) {
    second.y = (second.y & ~(Word{0x3f} << 34)) | static_cast<Word>(link) << 34;
  }

  __device__ void set_time(std::uint32_t ns) { second.x = (second.x & ~0xffffffffull) | ns; }
  __device__ void set_tag(Word tag) {
    first.x = (first.x & 0xffffffffffffull) | tag << 48;
    second.y = (second.y & 0xffffffffffffull) | tag << 48;
  }
};

__device__ __forceinline__ NicEntry make_entry(NicOp op, bool doorbell, int queue, int peer,
                                               Word target, Word value, std::uint32_t bytes,
                                               std::uint32_t time_ns) {
  NicEntry entry;
  entry.first = {target & 0xffffffffffffull, value};
  entry.second = {time_ns | static_cast<Word>(bytes) << 32,
                  static_cast<Word>(queue) | static_cast<Word>(peer) << 16 |
                      static_cast<Word>(op) << 32 | static_cast<Word>(doorbell) << 40};
  return entry;
}

/// Entry `index` of a ring of 2^log2 entries has this tag in its turn; a fresh, zeroed ring has
/// none.
__device__ __forceinline__ Word ring_tag(Word index, std::uint32_t log2) {
  return ((index >> log2) + 1) & 0xffff;
}

__device__ __forceinline__ ulonglong2 load_half(const ulonglong2* half) {
  ulonglong2 value;
  asm volatile("{\n.reg .b128 t;\nld.relaxed.gpu.global.b128 t, [%2];\nmov.b128 {%0, %1}, t;\n}"
               : "=l"(value.x), "=l"(value.y)
               : "l"(half)
               : "memory");
  return value;
}

__device__ __forceinline__ void store_half(ulonglong2* half, ulonglong2 value) {
  asm volatile(
      "{\n.reg .b128 t;\nmov.b128 t, {%1, %2};\nst.relaxed.gpu.global.b128 [%0], t;\n}" ::"l"(half),
      "l"(value.x), "l"(value.y)
      : "memory");
}

/// Entries that one lane of the reading warp takes of a block.
inline constexpr int kEntriesPerLane = 2;

/// A ring of 2^log2 entries as its reader's warp wants it. The reader takes aligned blocks of
/// kEntriesPerLane · 2^lanes_log2 entries; lane l of them takes entries kEntriesPerLane·l + j. Half
/// h of all lanes' j-th entries lies together, so each of the reader's instructions reads one
/// piece.
struct NicSlots {
  ulonglong2* halves = nullptr;
  std::uint32_t log2 = 0;
  std::uint32_t lanes_log2 = 0;

  __device__ std::uint32_t block() const { return kEntriesPerLane << lanes_log2; }

  /// Half h of the j-th entry of lane `lane` in the block that entry `index` belongs to.
  __device__ ulonglong2* half(std::uint32_t index, int lane, int j, int h) const {
    const std::uint32_t first = index & ((1u << log2) - 1) & ~(block() - 1);
    return halves + 2 * first + ((2 * j + h) << lanes_log2) + lane;
  }

  __device__ NicEntry load(std::uint32_t index, int lane, int j) const {
    return {load_half(half(index, lane, j, 0)), load_half(half(index, lane, j, 1))};
  }

  /// Tags the entry and writes it to place `index`.
  __device__ void store(Word index, NicEntry entry) const {
    entry.set_tag(ring_tag(index, log2));
    const auto place = static_cast<std::uint32_t>(index);
    const auto lane = static_cast<int>((place & (block() - 1)) / kEntriesPerLane);
    const auto j = static_cast<int>(place % kEntriesPerLane);
    store_half(half(place, lane, j, 0), entry.first);
    store_half(half(place, lane, j, 1), entry.second);
  }
};

__device__ __forceinline__ Word load_relaxed(const Word* word) {
  Word value;
  asm volatile("ld.relaxed.gpu.global.u64 %0, [%1];" : "=l"(value) : "l"(word) : "memory");
  return value;
}

__device__ __forceinline__ void store_relaxed(Word* word, Word value) {
  asm volatile("st.relaxed.gpu.global.u64 [%0], %1;" ::"l"(word), "l"(value) : "memory");
}

}  // namespace fanin::kernels::device
