// The set of pending events: a 4-ary heap of 16-byte entries in total order (time, sequence).
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <new>

#include "fanin/hw/units.hpp"

namespace fanin::sim {

/// Index of an actor in its simulator, below kMaxActors.
using ActorId = std::uint32_t;
inline constexpr std::uint32_t kMaxActors = 1U << 24;
/// Events that one queue can number; a run that reaches it ends with std::overflow_error.
inline constexpr std::uint64_t kMaxSequence = std::uint64_t{1} << 40;

/// An entry is one unsigned 128-bit number: time in ps (high 64 bits), sequence (40), actor (24).
/// The sequence is unique, so entries are never equal and the order of a run is total. Memory grows
/// only when more events are pending than ever before.
class EventQueue {
 public:
  EventQueue() { grow(64); }

  bool empty() const { return size_ == 0; }
  std::size_t size() const { return size_; }

  /// Time of the first event. Precondition: !empty().
  Picoseconds top_time() const { return {static_cast<std::int64_t>(at(0) >> 64)}; }
  /// Actor of the first event. Precondition: !empty().
  ActorId top_actor() const { return static_cast<ActorId>(at(0)) & (kMaxActors - 1); }

  /// Time of the first event after the top; the largest time when there is none.
  Picoseconds second_time() const {
    Key least = at(1);
    for (std::size_t child = 2; child <= 4; ++child) {
      if (at(child) < least) least = at(child);
    }
    const auto time = static_cast<std::uint64_t>(least >> 64);
    return {static_cast<std::int64_t>(time & (~std::uint64_t{0} >> 1))};
  }

  /// Precondition: time ≥ 0.
  void push(Picoseconds time, ActorId actor) {
    const Key key = make_key(time, actor);
    if (size_ == capacity_) grow(capacity_ * 2);
    std::size_t hole = size_++;
    while (hole > 0) {
      const std::size_t parent = (hole - 1) / 4;
      if (key > at(parent)) break;
      at(hole) = at(parent);
      hole = parent;
    }
    at(hole) = key;
  }

  /// The first event leaves and a new one comes, with one pass through the heap instead of two.
  /// Precondition: !empty().
  void replace_top(Picoseconds time, ActorId actor) { sift_down(make_key(time, actor)); }

  /// Precondition: !empty().
  void pop() {
    const Key last = at(--size_);
    at(size_) = kLast;
    if (size_ > 0) sift_down(last);
  }

 private:
  __extension__ using Key = unsigned __int128;
  static constexpr Key kLast = ~Key{0};

  Key make_key(Picoseconds time, ActorId actor) {
    if (sequence_ == kMaxSequence) throw_overflow();
    return (static_cast<Key>(static_cast<std::uint64_t>(time.count)) << 64) |
           (static_cast<Key>(sequence_++) << 24) | actor;
  }

  // The four children of a node share one cache line: entry i lies at slot i + 3.
  Key& at(std::size_t index) { return slots_[index + 3]; }
  const Key& at(std::size_t index) const { return slots_[index + 3]; }

  /// All-ones when a < b; keeps the choice among children free of branches.
  static std::size_t less_mask(const Key& a, const Key& b) {
    return std::size_t{0} - std::size_t{a < b};
  }

  // Slots past the last entry hold kLast, so a node always has four children to compare.
  void sift_down(Key key) {
    Key* const heap = slots_.get() + 3;
    const std::size_t size = size_;
    std::size_t hole = 0;
    for (std::size_t first = 1; first < size; first = 4 * hole + 1) {
      const Key* child = heap + first;
      const std::size_t left = less_mask(child[1], child[0]) & 1;
      const std::size_t right = 2 + (less_mask(child[3], child[2]) & 1);
      const std::size_t least = left + ((right - left) & less_mask(child[right], child[left]));
      if (key < child[least]) break;
      heap[hole] = child[least];
      hole = first + least;
    }
    heap[hole] = key;
  }

  void grow(std::size_t capacity);
  [[noreturn]] static void throw_overflow();

  struct Release {
    void operator()(Key* slots) const { ::operator delete[](slots, std::align_val_t{64}); }
  };
  std::unique_ptr<Key[], Release> slots_;
  std::size_t size_ = 0;
  std::size_t capacity_ = 0;
  std::uint64_t sequence_ = 0;
};

}  // namespace fanin::sim
