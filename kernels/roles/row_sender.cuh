// How a scale-out warp sends its rows, tails and finishes. Lane f keeps where the warp stands with
// FFN rank f, counted up row by row: the loop over a channel's tokens has few warps to hide its
// arithmetic, so it does without multiplications and divisions.
#pragma once

#include "roles/common.cuh"
#include "roles/dispatch_args.cuh"

namespace fanin::kernels::roles {

struct SendCursor {
  char* target = nullptr;  ///< of the next row
  Word* tail = nullptr;
  int sent = 0;
  int untold = 0;  ///< rows since the last tail update

  template <class Args>
  __device__ SendCursor(const Args& args, int channel) {
    if (lane_id() >= args.shape.ffn_ranks) return;
    const FfnInbox& inbox = args.ffn.inbox[lane_id()];
    target = inbox.rows + layout::inbox_row(args.shape, args.memory.source, channel, 0) *
                              layout::dispatch_row_bytes(args.shape);
    tail = inbox.tails + layout::tail_word(args.shape, channel, args.memory.source);
  }
};

template <class Transport, bool kStages = Transport::kStages>
class RowSender;

/// Over a NIC: the row goes to a staging slot, from which lane 0 posts it to each rank in turn. A
/// queue keeps a tail behind its rows, so the warp posts it and goes on.
template <class Transport>
class RowSender<Transport, true> {
 public:
  template <class Args>
  __device__ RowSender(const Args& args, int channel, int queue)
      : transport_(args.transport),
        queue_(queue),
        row_bytes_(static_cast<std::uint32_t>(layout::dispatch_row_bytes(args.shape))),
        interval_(args.shape.tail_interval),
        peers_(args.shape.ffn_ranks),
        staging_(args.memory.staging),
        own_(args, channel) {}

  /// Whole warp: sends `row` (shared memory) of `token` to the ranks of `owners`.
  __device__ void send(const char* row, int token, unsigned owners) {
    char* slot = staging_ + static_cast<std::size_t>(token) * row_bytes_;
    if (lane_id() == 0) {
      device::bulk_store(slot, row, row_bytes_);
      device::bulk_commit();
      device::bulk_wait_all();
    }
    __syncwarp();
    for (; owners != 0; owners &= owners - 1) {
      const int ffn = __ffs(owners) - 1;
      transport_.put(queue_, ffn, of_lane(own_.target, ffn), slot, row_bytes_,
                     device::Doorbell::later);
      if (lane_id() == ffn) {
        own_.target += row_bytes_;
        ++own_.sent;
        ++own_.untold;
      }
      if (__shfl_sync(kFullMask, own_.untold, ffn) != interval_) continue;
      Word* tail = of_lane(own_.tail, ffn);
      if (lane_id() == 0) transport_.add(queue_, ffn, tail, layout::pack2(0, interval_));
      if (lane_id() == ffn) own_.untold = 0;
      __syncwarp();
    }
  }

  /// Whole warp: the stage of the row sent last may be written again.
  template <int kRows>
  __device__ void leave_unread() const {}

  /// Whole warp, after the last row.
  __device__ void finish(bool inline_if_empty) {
    transport_.order_puts();
    if (lane_id() < peers_) {
      if (inline_if_empty && own_.sent == 0) {
        transport_.put_value(queue_, lane_id(), own_.tail, layout::pack2(1, 0));
      } else {
        transport_.add(queue_, lane_id(), own_.tail, layout::pack2(1, own_.untold));
      }
    }
    __syncwarp();
  }

 private:
  template <class T>
  __device__ static T* of_lane(T* pointer, int lane) {
    return reinterpret_cast<T*>(
        __shfl_sync(kFullMask, reinterpret_cast<unsigned long long>(pointer), lane));
  }

  const Transport& transport_;
  int queue_;
  std::uint32_t row_bytes_;
  int interval_;
  int peers_;
  char* staging_;
  SendCursor own_;
};

/// By stores of its own: lane f copies from the stage to rank f and adds to its tail, so that a
/// tail waits for no other rank's rows. It holds each tail back for a few rows, so that the warp
/// need not stand and wait for them to arrive.
template <class Transport>
class RowSender<Transport, false> {
 public:
  template <class Args>
  __device__ RowSender(const Args& args, int channel, int queue)
      : transport_(args.transport),
        queue_(queue),
        row_bytes_(static_cast<std::uint32_t>(layout::dispatch_row_bytes(args.shape))),
        interval_(args.shape.tail_interval),
        active_(lane_id() < args.shape.ffn_ranks),
        own_(args, channel) {}

  __device__ void send(const char* row, int, unsigned owners) {
    if (active_) {
      const bool goes = (owners >> lane_id() & 1u) != 0;
      if (goes) {
        transport_.put_shared(queue_, lane_id(), own_.target, row, row_bytes_,
                              device::Doorbell::later);
        own_.target += row_bytes_;
        ++own_.sent;
        ++own_.untold;
      } else {
        transport_.put_nothing();
      }
      if (held_ && ++age_ == kHeldPuts) {
        transport_.template add_behind<kHeldPuts>(queue_, lane_id(), own_.tail, held_value());
        held_ = false;
      }
      if (goes && own_.untold == interval_) {
        if (held_) transport_.add(queue_, lane_id(), own_.tail, held_value());
        held_ = true;
        age_ = 0;
        own_.untold = 0;
      }
    }
    __syncwarp();
  }

  /// Whole warp: the stages of all but the last kRows rows may be written again.
  template <int kRows>
  __device__ void leave_unread() const {
    transport_.template sources_read<kRows>();
  }

  __device__ void finish(bool inline_if_empty) {
    if (active_) {
      if (own_.sent > 0) transport_.order_own_puts();
      if (held_) transport_.add_ordered(queue_, lane_id(), own_.tail, held_value());
      if (inline_if_empty && own_.sent == 0) {
        transport_.put_value(queue_, lane_id(), own_.tail, layout::pack2(1, 0));
      } else {
        transport_.add_ordered(queue_, lane_id(), own_.tail, layout::pack2(1, own_.untold));
      }
    }
    __syncwarp();
  }

 private:
  static constexpr int kHeldPuts = 3;

  __device__ Word held_value() const { return layout::pack2(0, interval_); }

  const Transport& transport_;
  int queue_;
  std::uint32_t row_bytes_;
  int interval_;
  bool active_;
  bool held_ = false;
  int age_ = 0;
  SendCursor own_;
};

}  // namespace fanin::kernels::roles
