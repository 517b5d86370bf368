#include "fanin/model/sim/event_queue.hpp"

#include <algorithm>
#include <stdexcept>

namespace fanin::sim {

void EventQueue::grow(std::size_t capacity) {
  // 3 slots before the root and a full set of children after the last entry.
  const std::size_t slots = capacity + 3 + 4 + 1;
  std::unique_ptr<Key[], Release> larger(
      static_cast<Key*>(::operator new[](slots * sizeof(Key), std::align_val_t{64})));
  std::fill_n(larger.get(), slots, kLast);
  if (slots_) std::copy_n(slots_.get(), size_ + 3, larger.get());
  slots_ = std::move(larger);
  capacity_ = capacity;
}

void EventQueue::throw_overflow() {
  throw std::overflow_error("simulation numbered more events than 2^40");
}

}  // namespace fanin::sim
