// Every shared word and row of the exchange: formats, sizes and offsets, named once for host and
// device.
//
// Dispatch row   hidden·2 B payload, then metadata: expert[k] i32, weight[k] f32, slot[k] i32,
// token i32,
//                padded to 32 B. `slot` is filled in at the FFN: the expert row that holds the
//                choice.
// Combine row    hidden·2 B payload, then {expert i32, weight f32}[k], padded to 32 B.
// Signal word    pack2(finish, rows): finishes in the upper, rows in the lower 32 bits; adds
// accumulate. Count word     value + 1, so that 0 means "not yet".
#pragma once

#include <cstddef>
#include <cstdint>

#include "fanin/kernels/shape.hpp"

namespace fanin::kernels::layout {

inline constexpr std::size_t kVector = 16;  ///< bytes of one access, and alignment of every row
inline constexpr std::size_t kMetadataAlign = 32;

FANIN_HOST_DEVICE constexpr std::size_t align_up(std::size_t value, std::size_t to) {
  return (value + to - 1) / to * to;
}

FANIN_HOST_DEVICE constexpr std::size_t payload_bytes(const Shape& shape) {
  return static_cast<std::size_t>(shape.hidden) * 2;
}

// Offsets inside a dispatch row.
FANIN_HOST_DEVICE constexpr std::size_t expert_offset(const Shape& shape) {
  return payload_bytes(shape);
}
FANIN_HOST_DEVICE constexpr std::size_t weight_offset(const Shape& shape) {
  return expert_offset(shape) + static_cast<std::size_t>(shape.top_k) * 4;
}
FANIN_HOST_DEVICE constexpr std::size_t slot_offset(const Shape& shape) {
  return weight_offset(shape) + static_cast<std::size_t>(shape.top_k) * 4;
}
FANIN_HOST_DEVICE constexpr std::size_t token_offset(const Shape& shape) {
  return slot_offset(shape) + static_cast<std::size_t>(shape.top_k) * 4;
}
FANIN_HOST_DEVICE constexpr std::size_t dispatch_row_bytes(const Shape& shape) {
  return payload_bytes(shape) +
         align_up(12 * static_cast<std::size_t>(shape.top_k) + 4, kMetadataAlign);
}

// Offsets inside a combine row.
FANIN_HOST_DEVICE constexpr std::size_t choice_offset(const Shape& shape, int choice) {
  return payload_bytes(shape) + static_cast<std::size_t>(choice) * 8;
}
FANIN_HOST_DEVICE constexpr std::size_t combine_row_bytes(const Shape& shape) {
  return payload_bytes(shape) + align_up(8 * static_cast<std::size_t>(shape.top_k), kMetadataAlign);
}

static_assert(dispatch_row_bytes(Shape{}) == 4224,
              "row of the recorded runs: hidden 2048, top-k 8");
static_assert(combine_row_bytes(Shape{}) == 4160, "row of the recorded runs: hidden 2048, top-k 8");
static_assert(dispatch_row_bytes(Shape{}) % kVector == 0 &&
              combine_row_bytes(Shape{}) % kVector == 0);

FANIN_HOST_DEVICE constexpr std::uint64_t pack2(std::uint32_t finish, std::uint32_t rows) {
  return static_cast<std::uint64_t>(finish) << 32 | rows;
}
FANIN_HOST_DEVICE constexpr std::uint32_t finishes(std::uint64_t word) {
  return static_cast<std::uint32_t>(word >> 32);
}
FANIN_HOST_DEVICE constexpr std::uint32_t rows(std::uint64_t word) {
  return static_cast<std::uint32_t>(word);
}

// Indices, in elements, of words and rows at an FFN rank.
FANIN_HOST_DEVICE constexpr std::size_t inbox_row(const Shape& shape, int source, int channel,
                                                  int slot) {
  return (static_cast<std::size_t>(source) * shape.channels() + channel) * shape.slots() + slot;
}
FANIN_HOST_DEVICE constexpr std::size_t inbox_rows(const Shape& shape) {
  return static_cast<std::size_t>(shape.sources) * shape.channels() * shape.slots();
}
FANIN_HOST_DEVICE constexpr std::size_t tail_word(const Shape& shape, int channel, int source) {
  return static_cast<std::size_t>(channel) * shape.sources + source;
}
FANIN_HOST_DEVICE constexpr std::size_t channel_row(const Shape& shape, int channel, int row) {
  return static_cast<std::size_t>(channel) * shape.channel_rows() + row;
}
FANIN_HOST_DEVICE constexpr std::size_t expert_rows(const Shape& shape) {
  return static_cast<std::size_t>(shape.sources) * shape.capacity * shape.top_k;
}

// Counts of one source at an FFN rank: two WRITEs, the rows of the rank and the rows of each
// expert.
inline constexpr std::size_t kRankCountWords = kVector / 8;
FANIN_HOST_DEVICE constexpr std::size_t expert_count_words(const Shape& shape) {
  return align_up(static_cast<std::size_t>(shape.local_experts()), kVector / 8);
}
FANIN_HOST_DEVICE constexpr std::size_t count_words(const Shape& shape) {
  return kRankCountWords + expert_count_words(shape);
}

// At a source.
FANIN_HOST_DEVICE constexpr std::size_t finish_word(const Shape& shape, int ffn, int channel) {
  return static_cast<std::size_t>(ffn) * shape.channels() + channel;
}
FANIN_HOST_DEVICE constexpr std::size_t returned_row(const Shape& shape, int ffn, int token) {
  return static_cast<std::size_t>(ffn) * shape.capacity + token;
}

/// Where a row of a channel at the FFN came from.
struct Origin {
  std::int32_t source;
  std::int32_t token;
};
static_assert(sizeof(Origin) == 8);

/// A row that the forward warp of a rail has sent on inside its domain.
struct Forwarded {
  Origin origin;
  std::uint32_t members;  ///< bit i: GPU i of the domain owns an expert of it
};
static_assert(sizeof(Forwarded) == 12);

}  // namespace fanin::kernels::layout
