// The requester: takes a rank's posts in order and sends each to the peer's responder, with the
// time at which it arrives there.
#pragma once

#include "nic_block.cuh"
#include "nic_links.cuh"

namespace fanin::kernels::nic {

/// Whole warp. The part of a ring's aligned block that has been written and not been taken.
struct RingBlock {
  NicEntry entry[kPerLane];
  int front;  ///< place of the first entry not taken

  __device__ void load(const NicSlots& slots, Word from) {
    front = static_cast<int>(from % kBlock);
#pragma unroll
    for (int j = 0; j < kPerLane; ++j) {
      entry[j] =
          slots.load(static_cast<std::uint32_t>(from), static_cast<int>(threadIdx.x) % 32, j);
    }
  }

  /// How many entries from `from`, as loaded, have been written, without a gap.
  __device__ int count(const NicSlots& slots, Word from) const {
    const int mine = kPerLane * (static_cast<int>(threadIdx.x) % 32);
    // The whole block has one tag: a ring is a number of blocks.
    const Word tag = device::ring_tag(from, slots.log2);
    bool written[kPerLane];
#pragma unroll
    for (int j = 0; j < kPerLane; ++j) written[j] = mine + j < front || entry[j].tagged(tag);
    return filled_front(written, 0, 32, kAllLanes) - front;
  }
};

/// What the requester knows of one operation.
struct SendOp {
  int link;   ///< −1: empty place
  int queue;  ///< (queue, peer) as one number
  std::int32_t service;

  /// `only_peer` ≥ 0: the peer of the only link.
  __device__ static SendOp of(const NicEntry& entry, bool valid, const RequesterShared& shared,
                              const StageCosts& costs, int queues, int only_peer) {
    const NicOp op = entry.op();
    std::int32_t service = op == NicOp::add ? costs.atomic : costs.write;
    if (entry.doorbell()) service += costs.doorbell;
    // A row's bytes; skipped by a branch where no lane has one.
    if (op == NicOp::row) service = base_cost(costs, false, entry.bytes(), entry.doorbell());
    const int link = only_peer >= 0 ? (entry.peer() == only_peer ? 0 : -1)
                                    : shared.link_of_peer[entry.peer() % kMaxRanks];
    return {valid ? link : -1, entry.peer() * queues + entry.queue(),
            valid && op != NicOp::marker ? service : 0};
  }
};

/// What keeps a requester from sending on while too many of its operations are unacknowledged.
class SendWindow {
 public:
  __device__ SendWindow(const RankNic& nic, Word first)
      : size_(nic.outstanding), acks_(nic.acks), first_(first) {}

  __device__ bool limits() const { return size_ > 0; }

  /// Whether operation `number` may be sent as far as is known now, and from which ns on; `from`
  /// stays as it is where nothing holds the operation back.
  __device__ bool open(Word number, std::uint32_t& from) const {
    if (number < first_ + size_) return true;  // earlier launches have ended
    const Word before = number - size_;
    const Word ack = device::load_relaxed(acks_ + before % kAcks);
    if (ack >> 32 != static_cast<std::uint32_t>(before + 1)) return false;
    from = static_cast<std::uint32_t>(ack);
    return true;
  }

 private:
  Word size_;
  const Word* acks_;
  Word first_;
};

/// Whole warp. Ends when the host says stop and every post has been taken. kOneLink: it sends to
/// one peer only. kPlain: neither a window nor mechanisms that depend on what came earlier.
template <bool kOneLink, bool kPlain>
__device__ void run_requester(RankNic& nic, RequesterShared& shared, Control& control,
                              const device::Watch& watch, int rank) {
  const int lane = static_cast<int>(threadIdx.x) % 32;
  // Copies: a field of `nic` would be read from memory again behind every ring access.
  const StageCosts costs = nic.send;
  const device::NicRing ring = nic.ring;
  const int queues = nic.queues;
  const std::uint32_t post_ns = nic.post_ns;
  const std::uint32_t wire_ns = nic.wire_ns;
  Word* const consumed_word = nic.consumed;
  for (int i = lane; i < kMaxRanks; i += 32) shared.link_of_peer[i] = nic.link_of_peer[i];
  if (lane < nic.out_count) shared.link_slots[lane] = nic.out[lane].slots;
  __syncwarp();
  const bool mechanisms = !kPlain && (costs.contexts > 0 || costs.queue_switch > 0);
  const NicSlots only_slots = nic.out[0].slots;
  int only_peer = -1;
  if constexpr (kOneLink) {
    for (int peer = 0; peer < kMaxRanks; ++peer) {
      if (nic.link_of_peer[peer] == 0) only_peer = peer;
    }
  }
  ServerTime time;
  time.begin();
  LinkPlaces<kOneLink> places(nic);
  const std::uint64_t start = device::global_ns();
  int last_queue = -1;
  Word consumed = *consumed_word;
  const Word consumed_before = consumed;
  // The block after the present one is read a whole turn before it is looked at, so that under
  // backlog nobody waits for memory.
  RingBlock block;
  RingBlock after;
  block.load(ring.slots, consumed);
  after.load(ring.slots, consumed / kBlock * kBlock + kBlock);
  const SendWindow window(nic, consumed);
  constexpr unsigned kBlocksPerFollow = 16;
  unsigned blocks = 0;
  for (;;) {
    int count = block.count(ring.slots, consumed);
    std::uint32_t acked[kPerLane];
    const bool limits = !kPlain && window.limits();
    if (limits) {
      bool may[kPerLane];
#pragma unroll
      for (int j = 0; j < kPerLane; ++j) {
        const int i = kPerLane * lane + j - block.front;
        acked[j] = block.entry[j].time() + post_ns;
        may[j] = i < 0 || (i < count && window.open(consumed + i, acked[j]));
      }
      count = filled_front(may, 0, 32, kAllLanes) - block.front;
    }
    if (count == 0 || ++blocks % kBlocksPerFollow == 0) {
      time.follow(static_cast<std::uint32_t>(device::global_ns()));
    }
    if (count == 0) {
      const std::uint64_t now = device::global_ns();
      block.load(ring.slots, consumed);
      const bool stop =
          device::load_relaxed(&control.stop) != 0 && device::load_relaxed(ring.posted) == consumed;
      if (__any_sync(kAllLanes, stop || overdue(watch, start, now, rank))) break;
      continue;
    }
    RingBlock next;
    if (block.front + count == kBlock) {
      next = after;
      after.load(ring.slots, consumed + count + kBlock);
    } else {
      next.load(ring.slots, consumed + count);
    }
    std::int32_t arrival[kPerLane];
    std::int32_t service[kPerLane];
    std::int32_t done[kPerLane];
    int link[kPerLane];
    bool lost = false;
    const int front = block.front;
#pragma unroll
    for (int j = 0; j < kPerLane; ++j) {
      const int i = kPerLane * lane + j - front;
      const bool valid = i >= 0 && i < count;
      const SendOp op =
          SendOp::of(block.entry[j], valid, shared, costs, queues, kOneLink ? only_peer : -1);
      link[j] = op.link;
      service[j] = op.service;
      arrival[j] = valid ? time.since_free(block.entry[j].time() + post_ns) : kNoArrival;
      if (limits && valid) arrival[j] = max(arrival[j], time.since_free(acked[j]));
      lost = lost || (valid && op.link < 0);
      if (mechanisms && valid) {
        shared.block.arrival[i] = arrival[j];
        shared.block.service[i] = service[j];
        shared.block.queue[i] = op.queue;
      }
    }
    if (mechanisms) {
      __syncwarp();
      mechanism_block(shared.block, costs, time, shared.context_tags, nullptr, last_queue, count);
#pragma unroll
      for (int j = 0; j < kPerLane; ++j) {
        if (link[j] >= 0) done[j] = shared.block.done[kPerLane * lane + j - front];
      }
    } else if (count == 1) {
#pragma unroll
      for (int j = 0; j < kPerLane; ++j) done[j] = max(arrival[j], 0) + service[j];
    } else {
      scan_block<kPerLane>(arrival, service, done, front);
    }
    std::uint32_t place[kPerLane];
    if (__any_sync(kAllLanes, lost)) {
      // A post to a rank that has no link: a poster's error.
      if (lost) watch.stalled(WordKind::queue_space, block.entry[0].peer(), 0, 0);
      break;
    }
    if (!places.take(watch, link, front, count, place)) break;
#pragma unroll
    for (int j = 0; j < kPerLane; ++j) {
      if (link[j] < 0) continue;
      NicEntry entry = block.entry[j];
      entry.set_time(time.ns(done[j]) + wire_ns);
      if (limits) entry.set_number(consumed + kPerLane * lane + j - front);
      (kOneLink ? only_slots : shared.link_slots[link[j]]).store(place[j], entry);
    }
    time.advance(value_at(done, front + count - 1));
    consumed += count;
    if (lane == 0) device::store_relaxed(consumed_word, consumed);
    block = next;
  }
  places.end();
  if (lane == 0) nic.requested += consumed - consumed_before;
  __threadfence();
  __syncwarp();
  if (lane == 0) atomicAdd(&control.requesters_done, Word{1});
}

/// The requester that this NIC needs.
__device__ inline void run_requester(RankNic& nic, RequesterShared& shared, Control& control,
                                     const device::Watch& watch, int rank) {
  const bool plain = nic.outstanding == 0 && nic.send.contexts == 0 && nic.send.queue_switch == 0;
  if (nic.out_count == 1) {
    if (plain) {
      run_requester<true, true>(nic, shared, control, watch, rank);
    } else {
      run_requester<true, false>(nic, shared, control, watch, rank);
    }
  } else if (plain) {
    run_requester<false, true>(nic, shared, control, watch, rank);
  } else {
    run_requester<false, false>(nic, shared, control, watch, rank);
  }
}

}  // namespace fanin::kernels::nic
