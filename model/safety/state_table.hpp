// Visited states by fingerprint, each with a number: open addressing, linear probing.
#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

#include "machine.hpp"

namespace fanin::model::safety {

class StateTable {
 public:
  StateTable() : slots_(1024) {}

  /// Where the state's number is, or where it goes; the reference holds until the next call. A new
  /// state's number is 0 and `is_new` is set.
  std::uint64_t& at(const Fingerprint& state, bool& is_new) {
    if ((size_ + 1) * 3 > slots_.size() * 2) grow();
    Slot& slot = find(state);
    is_new = !slot.used;
    if (is_new) {
      slot = {state, 0, true};
      ++size_;
    }
    return slot.number;
  }

  std::size_t size() const { return size_; }

 private:
  struct Slot {
    Fingerprint state;
    std::uint64_t number = 0;
    bool used = false;
  };

  Slot& find(const Fingerprint& state) {
    const std::size_t mask = slots_.size() - 1;
    std::size_t place = state.low & mask;
    while (slots_[place].used && !(slots_[place].state == state)) place = (place + 1) & mask;
    return slots_[place];
  }

  void grow() {
    std::vector<Slot> old(slots_.size() * 2);
    old.swap(slots_);
    for (const Slot& slot : old) {
      if (slot.used) find(slot.state) = slot;
    }
  }

  std::vector<Slot> slots_;
  std::size_t size_ = 0;
};

}  // namespace fanin::model::safety
