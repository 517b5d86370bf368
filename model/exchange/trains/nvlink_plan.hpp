// The exchange inside one NVLink domain.
#pragma once

#include "fanin/hw/profile.hpp"
#include "nvlink_costs.hpp"
#include "train_plan.hpp"

namespace fanin::model {

class NvlinkPlan final : public TrainPlan {
 public:
  NvlinkPlan(const Exchange& exchange, const hw::Profile& profile);

  Gaps gaps(bool ffn) const override;
  int gpu_sms() const override { return costs_.gpu_sms; }
  bool symmetric() const override { return exchange_.protocol == Protocol::symmetric; }
  Picoseconds dispatch_barrier() const override { return costs_.symmetric_dispatch; }
  Picoseconds idle_epilogue() const override { return costs_.idle_epilogue; }

  Picoseconds payload_start() const override { return from_us(exchange_.payload_start_delay_us); }
  Picoseconds dispatch_floor() const override { return costs_.dispatch_floor; }
  /// Count work goes on at its own speed until payload starts, and beside payload so slowly that
  /// all of it would take `count_lag` / F^exponent of the stream.
  std::optional<Picoseconds> counts(int attention) const override;
  Picoseconds dispatch_out(int attention) const override;
  Picoseconds dispatch_in(int attention, int ffn) const override;
  /// Exit, and waiting for the slowest warp.
  Picoseconds dispatch_tail() const override;

  Picoseconds expand(int ffn) const override;
  std::optional<Picoseconds> overlap_exit() const override;

  Picoseconds combine_out(int ffn) const override;
  Picoseconds combine_in(int ffn, int attention) const override;
  /// Smooth maximum of what the busiest warp takes for its tokens and what the busiest link takes,
  /// both with waiting for the slowest warp.
  Picoseconds combine(int ffn, Picoseconds stream) const override;
  bool combine_outlasts(int ffn, Picoseconds stream) const override;
  Picoseconds reduce(int attention) const override;

  TrainPort port_out(bool) const override { return {"/nvlink/egress", Resource::nvlink_egress}; }
  TrainPort port_in(bool) const override { return {"/nvlink/ingress", Resource::nvlink_ingress}; }
  TrainCountRules count_rules() const override { return nvlink_count_rules(exchange_); }

 private:
  double sm_side(int ffn) const;
  double link_side(int ffn, Picoseconds stream) const;
  int combine_warps() const { return exchange_.channels_per_sm * exchange_.ffn_combine_sms_used(); }

  NvlinkCosts costs_;
  double dispatch_row_;
  double combine_row_;
};

}  // namespace fanin::model
