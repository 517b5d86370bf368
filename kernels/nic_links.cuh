// Places in the links from one requester to the responders.
#pragma once

#include "nic_engine.cuh"

namespace fanin::kernels::nic {

/// Whole warp. Lane l keeps link l's count of entries and the responder's count as last seen; with
/// one link (kOneLink), every lane keeps it.
template <bool kOneLink>
class LinkPlaces {
 public:
  __device__ explicit LinkPlaces(const RankNic& nic) : count_(nic.out_count) {
    const int lane = static_cast<int>(threadIdx.x) % 32;
    const int mine = kOneLink ? 0 : lane;
    if (mine >= count_) return;
    tail_word_ = nic.out[mine].tail;
    head_word_ = nic.out[mine].head;
    tail_ = static_cast<std::uint32_t>(*tail_word_);
    head_ = static_cast<std::uint32_t>(*head_word_);
  }

  __device__ void end() const {
    if (tail_word_ != nullptr) *tail_word_ = tail_;
  }

  /// Sets the place of each operation (link −1: none) of a block of `count`, the first of which
  /// stands at `front`; waits until the links have room. False: gave up.
  __device__ bool take(const device::Watch& watch, const int (&link)[kPerLane], int front,
                       int count, std::uint32_t (&place)[kPerLane]) {
    const int lane = static_cast<int>(threadIdx.x) % 32;
    if constexpr (kOneLink) {
#pragma unroll
      for (int j = 0; j < kPerLane; ++j) place[j] = tail_ + kPerLane * lane + j - front;
      tail_ += count;
    } else {
      const unsigned below = (1u << lane) - 1;
      std::uint32_t added = 0;
      for (int l = 0; l < count_; ++l) {
        const std::uint32_t from = __shfl_sync(kAllLanes, tail_, l);
        std::uint32_t next = from;
        std::uint32_t all = 0;
#pragma unroll
        for (int j = 0; j < kPerLane; ++j) {
          const unsigned members = __ballot_sync(kAllLanes, link[j] == l);
          next += __popc(members & below);
          all += __popc(members);
        }
#pragma unroll
        for (int j = 0; j < kPerLane; ++j) {
          if (link[j] == l) place[j] = next++;
        }
        if (lane == l) added = all;
      }
      tail_ += added;
    }
    const bool full = tail_ - head_ > kLinkEntries;
    if (!__any_sync(kAllLanes, full)) return true;
    bool room = true;
    if (full) {
      const std::uint32_t need = tail_ - kLinkEntries;
      room = device::wait_until(
          watch, WordKind::queue_space, lane, need,
          [&] { return device::load_relaxed(head_word_); },
          [&](Word seen) {
            head_ = static_cast<std::uint32_t>(seen);
            return static_cast<std::int32_t>(head_ - need) >= 0;
          });
    }
    return __all_sync(kAllLanes, room);
  }

 private:
  int count_;
  Word* tail_word_ = nullptr;
  Word* head_word_ = nullptr;
  std::uint32_t tail_ = 0;
  std::uint32_t head_ = 0;
};

}  // namespace fanin::kernels::nic
