// The direct exchange: RDMA from every Attention GPU to every FFN GPU that owns one of a token's
// experts, and back, without NVLink. Recorded builds do not specialise its kernels by role, so
// there is one model for both protocols. A token's row crosses the FFN GPU's NIC once each way at
// line rate; the rest is latency, and at each kernel's exit a signal to each rank of the world, one
// after another.
#pragma once

#include "fanin/hw/profile.hpp"
#include "train_plan.hpp"

namespace fanin::model {

class DirectPlan final : public TrainPlan {
 public:
  DirectPlan(const Exchange& exchange, const hw::Profile& profile);

  Gaps gaps(bool ffn) const override {
    return {{}, gemm_.launch_wait(ffn), {}, {}, gemm_.launch_wait(ffn)};
  }
  int gpu_sms() const override { return gpu_sms_; }

  Picoseconds payload_start() const override { return constant_; }
  Picoseconds dispatch_floor() const override { return constant_ + signals(); }
  std::optional<Picoseconds> counts(int) const override { return {}; }
  Picoseconds dispatch_out(int attention) const override;
  Picoseconds dispatch_in(int attention, int ffn) const override;
  Picoseconds dispatch_tail() const override { return row_latency_; }

  Picoseconds expand(int ffn) const override;

  Picoseconds combine_out(int ffn) const override;
  Picoseconds combine_in(int ffn, int attention) const override;
  Picoseconds combine(int ffn, Picoseconds stream) const override;
  bool combine_outlasts(int, Picoseconds stream) const override {
    return signals() > row_latency_ + stream;
  }
  Picoseconds reduce(int) const override { return reduce_token_ * exchange_.tokens; }

  TrainPort port_out(bool of_ffn) const override;
  TrainPort port_in(bool of_ffn) const override;
  TrainCountRules count_rules() const override { return direct_count_rules(); }

 private:
  Picoseconds signals() const {
    return signal_ * (exchange_.ffn_ranks + exchange_.attention_ranks);
  }
  Picoseconds rows(double count, Bytes bytes) const;

  Picoseconds constant_;
  Picoseconds row_latency_;
  Picoseconds signal_;
  double row_ns_;
  GigabytesPerSecond line_rate_;
  double expert_row_ns_;
  Picoseconds reduce_token_;
  int gpu_sms_;
};

}  // namespace fanin::model
