// A queue over one block of memory that it keeps, so that a steady run allocates nothing.
#pragma once

#include <cstddef>
#include <vector>

namespace fanin::sim {

template <class Item>
class Ring {
 public:
  bool empty() const { return head_ == items_.size(); }
  std::size_t size() const { return items_.size() - head_; }
  /// Preconditions: !empty().
  const Item& front() const { return items_[head_]; }
  const Item& back() const { return items_.back(); }

  void push(const Item& item) { items_.push_back(item); }

  /// Precondition: !empty(). The block starts over when its last item leaves, and is packed when
  /// more than half of a large one has left.
  void pop() {
    ++head_;
    if (head_ == items_.size()) {
      items_.clear();
      head_ = 0;
    } else if (head_ >= kPack && head_ * 2 >= items_.size()) {
      items_.erase(items_.begin(), items_.begin() + static_cast<std::ptrdiff_t>(head_));
      head_ = 0;
    }
  }

 private:
  static constexpr std::size_t kPack = 4096;
  std::vector<Item> items_;
  std::size_t head_ = 0;
};

}  // namespace fanin::sim
