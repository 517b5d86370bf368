// The collector: takes what has arrived from the other NICs, merged by time of arrival, and hands
// it to the responder in batches.
#pragma once

#include <climits>

#include "nic_batch.cuh"
#include "nic_block.cuh"

namespace fanin::kernels::nic {

/// An entry is taken this long before it arrives, so that what the emulation itself takes, from
/// here to the server warp, is not added to the operation's time. Two sources' operations that
/// lie closer than this may be served in the order in which they are seen.
inline constexpr std::uint32_t kAheadNs = 4000;

/// Which source a lane looks at: the block's 64 places are split evenly over the links in.
struct Segment {
  int source;     ///< link in; nothing to look at when it is ≥ in_count
  int first;      ///< first lane of the segment
  int lanes;      ///< lanes of a segment, a power of two
  unsigned mask;  ///< the segment's lanes

  __device__ explicit Segment(int sources) {
    lanes = 32;
    while (32 / lanes < sources) lanes /= 2;
    const int lane = static_cast<int>(threadIdx.x) % 32;
    source = lane / lanes;
    first = source * lanes;
    mask = (lanes == 32 ? kAllLanes : (1u << lanes) - 1) << first;
  }
};

/// Whole warp: place of each valid operation in order of arrival (ns after now), equal ones in
/// order of source. Compares all with all: 2·kBlock comparisons a lane that do not wait for each
/// other are faster than a search.
__device__ __forceinline__ void rank_by_arrival(std::int32_t (&all)[kBlock],
                                                const bool (&valid)[kPerLane],
                                                const std::int32_t (&arrival)[kPerLane],
                                                int (&position)[kPerLane]) {
  constexpr std::int32_t kLimitNs = (1 << 30) / kBlock - 1;
  const int first = kPerLane * (static_cast<int>(threadIdx.x) % 32);
  std::int32_t key[kPerLane];
#pragma unroll
  for (int j = 0; j < kPerLane; ++j) {
    // Sources lie one after the other, so the place itself settles equal arrivals.
    key[j] = min(max(arrival[j], -kLimitNs), kLimitNs) * kBlock + first + j;
    all[first + j] = valid[j] ? key[j] : INT_MAX;
    position[j] = 0;
  }
  __syncwarp();
#pragma unroll
  for (int i = 0; i < kBlock; i += 4) {
    const int4 other = *reinterpret_cast<const int4*>(&all[i]);
#pragma unroll
    for (int j = 0; j < kPerLane; ++j) {
      position[j] +=
          (other.x < key[j]) + (other.y < key[j]) + (other.z < key[j]) + (other.w < key[j]);
    }
  }
  __syncwarp();
}

/// Whole warp. Ends when every requester has ended and all links in are empty. kMerged: more than
/// one link in.
template <bool kMerged>
__device__ void run_collector(RankNic& nic, ResponderShared& shared, const Control& control,
                              const device::Watch& watch, int rank, int requesters) {
  const int lane = static_cast<int>(threadIdx.x) % 32;
  const Segment segment(nic.in_count);
  const bool listens = segment.source < nic.in_count;
  // A copy: a field of `nic` would be read from memory again behind every link access.
  const Link link = nic.in[listens ? segment.source : 0];
  const int in_segment = lane - segment.first;
  const int first_place = kPerLane * in_segment;
  const int segment_block = kPerLane * segment.lanes;
  const std::uint64_t start = device::global_ns();
  BatchWriter batches;
  std::uint32_t consumed = static_cast<std::uint32_t>(*link.head);
  bool last_look = false;
  // The block after the present one is read a whole turn before it is looked at, so that under
  // backlog nobody waits for memory.
  NicEntry entry[kPerLane];
  NicEntry after[kPerLane];
  const auto load = [&](NicEntry(&into)[kPerLane], std::uint32_t from) {
#pragma unroll
    for (int j = 0; j < kPerLane; ++j) into[j] = link.slots.load(from, in_segment, j);
  };
  load(entry, consumed);
  load(after, consumed + segment_block);
  while (batches.wait(shared.batch, watch)) {
    const std::uint64_t now = device::global_ns();
    const auto now_ns = static_cast<std::uint32_t>(now);
    // The link's aligned block: places before `front` have been taken.
    const int front = static_cast<int>(consumed) & (segment_block - 1);
    const Word tag = device::ring_tag(consumed, kLinkLog2);
    std::int32_t arrival[kPerLane];
    bool here[kPerLane];
#pragma unroll
    for (int j = 0; j < kPerLane; ++j) {
      arrival[j] = static_cast<std::int32_t>(entry[j].time() - now_ns);
      here[j] = first_place + j < front ||
                (listens && entry[j].tagged(tag) && arrival[j] <= static_cast<int>(kAheadNs));
    }
    const int filled = filled_front(here, segment.first, segment.lanes, segment.mask);
    bool valid[kPerLane];
#pragma unroll
    for (int j = 0; j < kPerLane; ++j) {
      valid[j] = first_place + j >= front && first_place + j < filled;
    }
    int total = filled - front;
    if constexpr (kMerged) {
      total = 0;
#pragma unroll
      for (int j = 0; j < kPerLane; ++j) total += __popc(__ballot_sync(kAllLanes, valid[j]));
    }
    if (total == 0) {
      // Ends one look after the last requester has; an entry that is not due yet keeps it here.
      bool written = false;
#pragma unroll
      for (int j = 0; j < kPerLane; ++j) {
        written = written || (listens && first_place + j >= front && entry[j].tagged(tag));
      }
      load(entry, consumed);
      if (__any_sync(kAllLanes, overdue(watch, start, now, rank))) break;
      if (__any_sync(kAllLanes, written)) continue;
      if (last_look) break;
      last_look = device::load_acquire<device::Scope::gpu>(&control.requesters_done) ==
                  static_cast<Word>(requesters);
      if (last_look) load(entry, consumed);
      continue;
    }
    last_look = false;
    NicEntry next[kPerLane];
    if (filled == segment_block) {
#pragma unroll
      for (int j = 0; j < kPerLane; ++j) next[j] = after[j];
      load(after, consumed + filled - front + segment_block);
    } else {
      load(next, consumed + filled - front);
    }
    int position[kPerLane];
    if constexpr (kMerged) {
      rank_by_arrival(shared.merge_keys, valid, arrival, position);
    } else {
#pragma unroll
      for (int j = 0; j < kPerLane; ++j) position[j] = first_place + j - front;
    }
#pragma unroll
    for (int j = 0; j < kPerLane; ++j) {
      if (!valid[j]) continue;
      if constexpr (kMerged) entry[j].set_link(segment.source);
      batches.put(shared.batch, position[j], entry[j]);
    }
    batches.publish(shared.batch, total);
    consumed += filled - front;
    if (listens && lane == segment.first) device::store_relaxed(link.head, consumed);
#pragma unroll
    for (int j = 0; j < kPerLane; ++j) entry[j] = next[j];
  }
  if (batches.wait(shared.batch, watch)) batches.publish(shared.batch, 0);
}

}  // namespace fanin::kernels::nic
