// The emulated NIC's timing rule: one serial server with the mechanisms of NicSettings, an
// operation at a time. The device's parallel scan must give the same completions; the tests and the
// NIC's own benchmark compare both with it.
#pragma once

#include <cmath>
#include <cstdint>

#include "fanin/kernels/host_device.hpp"

namespace fanin::kernels::nic {

/// Times are whole ticks of 1/64 ns, so that 28.5 ns or 4,224 B at 50 GB/s are held without drift.
inline constexpr int kTicksPerNs = 64;

/// How long a server is busy, before mechanisms that depend on what came earlier. In ticks.
struct StageCosts {
  std::int32_t atomic = 0;
  std::int32_t write = 0;
  std::int32_t doorbell = 0;
  std::int32_t queue_switch = 0;
  std::int32_t context_miss = 0;
  std::int32_t lock_hold = 0;
  std::int32_t contexts = 0;    ///< direct-mapped queue contexts; 0: none
  std::int32_t lock_slots = 0;  ///< 0: none
  float per_byte = 0;
};

/// What a server has to know of one operation.
struct StageOp {
  std::int32_t base = 0;   ///< ticks: atomic or write, bytes and doorbell
  std::int32_t queue = 0;  ///< (queue, peer) as one number
  std::int32_t lock = -1;  ///< lock slot; -1: takes none
};

/// What one server remembers. The arrays belong to the caller.
template <class Ticks>
struct StageState {
  Ticks free = 0;  ///< when the server has ended everything so far
  std::int32_t last_queue = -1;
  Ticks* lock_free = nullptr;            ///< [lock_slots]
  std::int32_t* context_tags = nullptr;  ///< [contexts], -1: empty
};

/// The slot that an atomic on `address` locks.
FANIN_HOST_DEVICE constexpr std::int32_t lock_slot(std::uint64_t address, std::int32_t slots) {
  // Fibonacci hashing of the 8 B word's index: neighbours spread over the slots.
  const std::uint64_t mixed = (address >> 3) * 0x9E3779B97F4A7C15ull;
  return static_cast<std::int32_t>((mixed >> 40) % static_cast<std::uint64_t>(slots));
}

/// The longest that one operation may take by itself, 131 us: 64 of them stay below 2^31 ticks.
inline constexpr std::int32_t kMaxBaseCost = 1 << 23;

/// Ticks that an operation costs by itself.
FANIN_HOST_DEVICE inline std::int32_t base_cost(const StageCosts& costs, bool atomic,
                                                std::uint32_t bytes, bool doorbell) {
  const float size = fminf(fmaf(costs.per_byte, static_cast<float>(bytes), 0.5f),
                           static_cast<float>(kMaxBaseCost));
  const std::int32_t sum = (atomic ? costs.atomic : costs.write) + (doorbell ? costs.doorbell : 0) +
                           static_cast<std::int32_t>(size);
  return sum < kMaxBaseCost ? sum : kMaxBaseCost;
}

/// Ticks of queue switch and context miss that `op` adds, and the server's memory of them.
template <class Ticks>
FANIN_HOST_DEVICE std::int32_t queue_cost(StageState<Ticks>& state, const StageCosts& costs,
                                          const StageOp& op) {
  std::int32_t extra = op.queue != state.last_queue ? costs.queue_switch : 0;
  state.last_queue = op.queue;
  if (costs.contexts > 0) {
    std::int32_t& tag = state.context_tags[op.queue % costs.contexts];
    if (tag != op.queue) extra += costs.context_miss;
    tag = op.queue;
  }
  return extra;
}

/// Completion of `op` that arrives at `arrival`: the later of arrival, the previous completion and
/// the release of its lock slot, plus its service. Operations must be given in the order of
/// service.
template <class Ticks>
FANIN_HOST_DEVICE Ticks advance(StageState<Ticks>& state, const StageCosts& costs, Ticks arrival,
                                const StageOp& op) {
  const std::int32_t service = op.base + queue_cost(state, costs, op);
  Ticks start = arrival > state.free ? arrival : state.free;
  if (costs.lock_slots > 0 && op.lock >= 0) {
    Ticks& held = state.lock_free[op.lock];
    start = held > start ? held : start;
    held = start + costs.lock_hold;
  }
  state.free = start + service;
  return state.free;
}

}  // namespace fanin::kernels::nic
