// What sets one path's exchange apart from another's where rows travel as trains: times, waits,
// names.
#pragma once

#include <cstdint>
#include <optional>
#include <string>

#include "../gemm.hpp"
#include "../resources.hpp"
#include "fanin/hw/units.hpp"
#include "train_load.hpp"
#include "train_operations.hpp"

namespace fanin::model {

struct TrainPort {
  const char* name;  ///< "/nvlink/egress"
  Resource resource;
};

/// Attention GPUs are numbered from 0, FFN GPUs too. Times are of one exchange.
class TrainPlan {
 public:
  virtual ~TrainPlan() = default;

  const Exchange& exchange() const { return exchange_; }
  const TrainLoad& load() const { return load_; }
  const GemmLoad& gemm() const { return gemm_; }

  /// Between a kernel's predecessor's end and its start, on a GPU of either role.
  struct Gaps {
    Picoseconds dispatch;
    Picoseconds epilogue;
    Picoseconds combine;
    Picoseconds attention_combine;  ///< straight after dispatch
    Picoseconds reduce;
  };
  virtual Gaps gaps(bool ffn) const = 0;
  virtual int gpu_sms() const = 0;

  /// Every GPU runs every kernel, dispatch and combine behind a barrier over all GPUs.
  virtual bool symmetric() const { return false; }
  /// What dispatch's entry barrier costs beside waiting. Only where symmetric().
  virtual Picoseconds dispatch_barrier() const { return {}; }
  /// An epilogue without rows. Only where symmetric().
  virtual Picoseconds idle_epilogue() const { return {}; }

  // From an Attention GPU's dispatch start (past its barrier) …
  virtual Picoseconds payload_start() const = 0;   ///< … to its first row
  virtual Picoseconds dispatch_floor() const = 0;  ///< … to the earliest end of dispatch
  virtual std::optional<Picoseconds> counts(
      int attention) const = 0;  ///< … to its counts at the FFN GPUs, where
                                 ///< the copy epilogue starts with them
  virtual Picoseconds dispatch_out(int attention) const = 0;  ///< its port, all its rows
  virtual Picoseconds dispatch_in(int attention, int ffn) const = 0;
  virtual Picoseconds dispatch_tail() const = 0;  ///< last row to end of dispatch

  virtual Picoseconds expand(int ffn) const = 0;
  /// The bound in which the copy epilogue does not wait for its rows: least time from the end of
  /// dispatch to its own.
  virtual std::optional<Picoseconds> overlap_exit() const { return {}; }

  virtual Picoseconds combine_out(int ffn) const = 0;
  virtual Picoseconds combine_in(int ffn, int attention) const = 0;
  /// The FFN's combine, when its rows are through `stream` after its start, and whether something
  /// else than those rows takes the longest.
  virtual Picoseconds combine(int ffn, Picoseconds stream) const = 0;
  virtual bool combine_outlasts(int ffn, Picoseconds stream) const = 0;
  virtual Picoseconds reduce(int attention) const = 0;

  virtual TrainPort port_out(bool of_ffn) const = 0;
  virtual TrainPort port_in(bool of_ffn) const = 0;
  virtual TrainCountRules count_rules() const = 0;

 protected:
  TrainPlan(const Exchange& exchange, const hw::Profile& profile)
      : exchange_(exchange), load_(exchange_), gemm_(exchange_, profile) {}

  Exchange exchange_;
  TrainLoad load_;
  GemmLoad gemm_;
};

}  // namespace fanin::model
