// The tokens of one channel, on their way from a source's input to the stages of its scale-out
// warp.
#pragma once

#include "fanin/kernels/owner_of.hpp"
#include "fanin/kernels/token_share.hpp"
#include "roles/common.cuh"

namespace fanin::kernels::roles {

/// What a warp needs to load rows, in one line of the kernel's arguments: a warp waits for each
/// line that its SM has not read yet, and nothing leaves before the first row is there.
struct alignas(8) LoadPlan {
  int stages = 0;       ///< rows in shared memory of each scale-out warp
  int stage_bytes = 0;  ///< a dispatch row, aligned to 128
  int channels_per_sm = 0;
  int top_k = 0;
  std::uint32_t payload = 0;        ///< bytes
  std::uint32_t top_k_inverse = 0;  ///< ⌈2^16 / top_k⌉: i / top_k for i ≤ 32
  TokenShare share;
  const char* input = nullptr;            ///< [tokens] payloads
  const std::int32_t* experts = nullptr;  ///< [tokens][top_k]
  const float* weights = nullptr;         ///< [tokens][top_k]

  LoadPlan(const Shape& shape, const SourceMemory& memory, int stages_of_warp, int bytes_of_stage)
      : stages(stages_of_warp),
        stage_bytes(bytes_of_stage),
        channels_per_sm(shape.channels_per_sm),
        top_k(shape.top_k),
        payload(static_cast<std::uint32_t>(layout::payload_bytes(shape))),
        top_k_inverse(static_cast<std::uint32_t>((65536 + shape.top_k - 1) / shape.top_k)),
        share(shape, memory.source, memory.tokens),
        input(memory.input),
        experts(memory.experts),
        weights(memory.weights) {}
};
static_assert(sizeof(LoadPlan) == 64, "one line of arguments");

/// Goes round a ring of stages without divisions.
class StageCursor {
 public:
  __device__ StageCursor(int depth, int stage_bytes) : depth_(depth), stage_bytes_(stage_bytes) {}

  __device__ int index() const { return index_; }
  __device__ int offset() const { return offset_; }
  __device__ std::uint32_t parity() const { return parity_; }

  __device__ void advance() {
    offset_ += stage_bytes_;
    if (++index_ < depth_) return;
    index_ = 0;
    offset_ = 0;
    parity_ ^= 1;
  }

 private:
  int depth_;
  int stage_bytes_;
  int index_ = 0;
  int offset_ = 0;
  std::uint32_t parity_ = 0;
};

/// What the two warps of a channel tell each other of its stages.
struct StageSignals {
  std::uint64_t* full;   ///< mbarriers: a row has been loaded
  std::uint64_t* empty;  ///< mbarriers: it has left
  unsigned* owners;      ///< bit f: the row goes to FFN rank f
};

/// Loads a channel's rows and choices, in order, into each stage as soon as it is empty, and writes
/// each row's token. Payloads come by bulk copies; choices, for several rows at a time, by a lane
/// each: to the copy engine a copy of 32 B is nearly as much work as one of 4 kB, and it serves the
/// whole SM.
class TokenLoader {
  struct Choice {
    std::int32_t expert;
    float weight;
  };

 public:
  /// The first mbarrier arrival of a row is lane 0's for the payload, the second that for the rest.
  static constexpr int kArrivals = 2;

  __device__ TokenLoader(const LoadPlan& plan, const device::Watch& watch, const OwnerOf& owner_of,
                         int channel, char* rows, const StageSignals& signals)
      : plan_(plan),
        watch_(watch),
        owner_of_(owner_of),
        rows_(rows),
        signals_(signals),
        token_(plan.share.first(channel)),
        count_(plan.share.count(token_)),
        batch_(static_cast<int>(32 * plan.top_k_inverse >> 16)),
        row_(static_cast<int>(lane_id() * plan.top_k_inverse >> 16)),
        choice_(lane_id() - row_ * plan.top_k),
        next_(choice_of(row_)) {}

  /// Lane 0: sends for the first rows.
  __device__ void start() const {
    const int rows = min(kFirstRows, fresh_rows());
    for (int index = 0; index < rows; ++index) first_load(index);
  }

  /// Whole warp, after start().
  __device__ void load_all() {
    StageCursor stage(plan_.stages, plan_.stage_bytes);
    Choice own = next_;
    for (int index = 0, in_batch = 0; index < count_; ++index, stage.advance()) {
      if (in_batch == 0) {
        own = next_;
        next_ = choice_of(index + batch_ + row_);
      }
      if (index >= plan_.stages) {
        device::mbarrier_wait(watch_, WordKind::stage_left, index, signals_.empty + stage.index(),
                              stage.parity() ^ 1);
        if (lane_id() == 0) load_payload(index, stage.index(), stage.offset());
      } else if (index + kFirstRows < fresh_rows() && lane_id() == 0) {
        first_load(index + kFirstRows);
      }
      write_choices(own, row_ == in_batch, stage, token_of(index));
      if (++in_batch == batch_) in_batch = 0;
    }
  }

 private:
  /// Rows that are sent for before others are on their way out. More of them, and all reads of a
  /// short channel come before its writes instead of beside them.
  static constexpr int kFirstRows = 3;

  /// Rows that find a stage which none has used.
  __device__ int fresh_rows() const { return min(count_, plan_.stages); }

  /// Stage `index` is initialised just before its first load: that takes some 40 ns. The sender
  /// learns of it by pair_sync or by an earlier row.
  __device__ void first_load(int index) const {
    device::mbarrier_init(signals_.full + index, kArrivals);
    device::mbarrier_init_fence();
    load_payload(index, index, index * plan_.stage_bytes);
  }

  __device__ int token_of(int index) const { return token_ + index * plan_.share.channels(); }

  __device__ void load_payload(int index, int stage, int offset) const {
    const char* from = plan_.input + static_cast<std::size_t>(token_of(index)) * plan_.payload;
    device::mbarrier_expect(signals_.full + stage, plan_.payload);
    device::bulk_load(rows_ + offset, from, plan_.payload, signals_.full + stage);
  }

  /// What this lane loads for row `index` of the channel; no expert where it has nothing to load.
  __device__ Choice choice_of(int index) const {
    if (index >= count_ || row_ >= batch_) return {-1, 0.0f};
    const std::size_t at = static_cast<std::size_t>(token_of(index)) * plan_.top_k + choice_;
    return {__ldg(plan_.experts + at), __ldg(plan_.weights + at)};
  }

  /// Whole warp; `mine`: this lane holds one of the row's choices.
  __device__ void write_choices(const Choice& own, bool mine, const StageCursor& stage,
                                int token) const {
    char* row = rows_ + stage.offset();
    auto* fields = reinterpret_cast<std::int32_t*>(row + plan_.payload);
    const int top_k = plan_.top_k;
    if (mine) {
      fields[choice_] = own.expert;
      fields[top_k + choice_] = __float_as_int(own.weight);
      fields[2 * top_k + choice_] = -1;  // its place at the FFN, not known yet
    }
    const unsigned owners =
        __reduce_or_sync(kFullMask, mine && own.expert >= 0 ? 1u << owner_of_(own.expert) : 0u);
    if (lane_id() == 0) {
      fields[3 * top_k] = token;
      signals_.owners[stage.index()] = owners;
    }
    device::fence_proxy_async_shared();
    __syncwarp();
    if (lane_id() == 0) device::mbarrier_arrive(signals_.full + stage.index());
  }

  const LoadPlan& plan_;
  const device::Watch& watch_;
  const OwnerOf& owner_of_;
  char* rows_;
  StageSignals signals_;
  int token_;
  int count_;
  int batch_;   ///< rows whose choices a warp loads at a time
  int row_;     ///< of the batch: this lane's
  int choice_;  ///< of the row: this lane's
  Choice next_;
};

}  // namespace fanin::kernels::roles
