#include "nvlink_plan.hpp"

#include <algorithm>
#include <cmath>

#include "expectation.hpp"
#include "fanin/model/message_size.hpp"

namespace fanin::model {
namespace {

/// Microseconds that `bytes` take.
double us(double bytes, GigabytesPerSecond rate) { return transfer_ns(bytes * 1e-3, rate); }

}  // namespace

NvlinkPlan::NvlinkPlan(const Exchange& exchange, const hw::Profile& profile)
    : TrainPlan(exchange, profile),
      costs_(profile),
      dispatch_row_(static_cast<double>(model::dispatch_row(exchange).count)),
      combine_row_(static_cast<double>(model::combine_row(exchange).count)) {}

TrainPlan::Gaps NvlinkPlan::gaps(bool ffn) const {
  const Picoseconds wait = gemm_.launch_wait(ffn);
  return {costs_.dispatch_gap, wait, costs_.combine_gap, costs_.attention_combine_gap, wait};
}

std::optional<Picoseconds> NvlinkPlan::counts(int attention) const {
  if (gemm_.on_ffn()) return {};
  const double work = costs_.count_token_us * exchange_.tokens;
  double stream = us(load_.rows_of_attention(attention) * dispatch_row_, costs_.egress);
  for (int ffn = 0; ffn < exchange_.ffn_ranks; ++ffn) {
    stream = std::max(stream, us(load_.rows_of_ffn(ffn) * dispatch_row_, costs_.ingress));
  }
  const double share = costs_.count_lag / std::pow(exchange_.ffn_ranks, costs_.count_lag_exponent);
  const double alone = std::min(exchange_.payload_start_delay_us, work);
  const double left = work > 0.0 ? 1.0 - alone / work : 0.0;
  return from_us(costs_.count_constant_us + alone + left * std::max(work, share * stream));
}

Picoseconds NvlinkPlan::dispatch_out(int attention) const {
  return from_us(us(load_.rows_of_attention(attention) * dispatch_row_, costs_.egress));
}

Picoseconds NvlinkPlan::dispatch_in(int attention, int ffn) const {
  return from_us(us(load_.rows(attention, ffn) * dispatch_row_, costs_.ingress));
}

Picoseconds NvlinkPlan::dispatch_tail() const {
  const double warps = std::min(exchange_.channels(), exchange_.tokens) * exchange_.attention_ranks;
  return from_us(costs_.dispatch_constant_us + costs_.dispatch_straggler_us * slowest_of(warps));
}

Picoseconds NvlinkPlan::expand(int ffn) const {
  const double row = 2.0 * exchange_.hidden;
  const double streaming = us(load_.expert_rows(ffn) * row, costs_.expand_write) +
                           us(load_.rows_of_ffn(ffn) * row, costs_.expand_read);
  return from_us(smooth_maximum(costs_.expand_constant_us, streaming * gemm_.epilogue_slowdown(),
                                costs_.expand_smoothing));
}

std::optional<Picoseconds> NvlinkPlan::overlap_exit() const {
  if (exchange_.variant != Variant::expand_overlaps_ingress_bound) return {};
  return costs_.idle_epilogue;
}

Picoseconds NvlinkPlan::combine_out(int ffn) const {
  return from_us(us(load_.rows_of_ffn(ffn) * combine_row_, costs_.combine_egress));
}

Picoseconds NvlinkPlan::combine_in(int ffn, int attention) const {
  return from_us(us(load_.rows(attention, ffn) * combine_row_, costs_.combine_ingress));
}

double NvlinkPlan::sm_side(int ffn) const {
  const double row = 2.0 * exchange_.hidden;
  const double footprint = std::min(1.0, load_.expert_rows(ffn) * row / costs_.l2_bytes);
  const double row_us = (costs_.warp_row_us + costs_.warp_row_memory_us * footprint) * row /
                        NvlinkCosts::kReferenceRow;
  const TrainLoad::BusiestWarp warp =
      load_.busiest_warp(ffn, combine_warps(), costs_.warp_token_us, row_us);
  // Independent delays would spread n tokens by a root of n. A warp that lags takes over the share
  // of the SM and of memory that others leave, which bounds its lag.
  const double turns = warp.tokens / (1.0 + warp.tokens / costs_.combine_straggler_turns);
  const double token_spread = costs_.combine_straggler_us * costs_.combine_straggler_us * turns;
  const double spread = std::sqrt(token_spread + row_us * row_us * warp.rows_variance);
  return warp.tokens * costs_.warp_token_us + warp.rows * row_us + spread * slowest_of(warp.warps);
}

double NvlinkPlan::link_side(int ffn, Picoseconds stream) const {
  const double warps =
      std::round(std::min<double>(combine_warps(), load_.rows_of_ffn(ffn))) * exchange_.ffn_ranks;
  const double exit = exchange_.exit == ExitMode::grid_sync ? costs_.grid_sync_exit_us : 0.0;
  return costs_.link_constant_us + costs_.link_straggler_us * slowest_of(warps) + exit +
         stream.us();
}

Picoseconds NvlinkPlan::combine(int ffn, Picoseconds stream) const {
  double us = smooth_maximum(sm_side(ffn), link_side(ffn, stream), costs_.combine_smoothing);
  const double tokens = load_.rows_of_ffn(ffn);
  if (symmetric() && tokens > 0.0)
    us += costs_.symmetric_combine_row_us * load_.expert_rows(ffn) / tokens;
  return from_us(us);
}

bool NvlinkPlan::combine_outlasts(int ffn, Picoseconds stream) const {
  return sm_side(ffn) > link_side(ffn, stream);
}

Picoseconds NvlinkPlan::reduce(int attention) const {
  const double read =
      us(load_.rows_of_attention(attention) * 2.0 * exchange_.hidden, costs_.reduce_rate);
  const double saved = exchange_.collect_view && !symmetric() ? costs_.collect_view_saving_us : 0.0;
  return from_us(std::max(0.0, costs_.reduce_constant_us + read - saved));
}

}  // namespace fanin::model
