#include "direct_plan.hpp"

#include <algorithm>

#include "fanin/model/message_size.hpp"

namespace fanin::model {

DirectPlan::DirectPlan(const Exchange& exchange, const hw::Profile& profile)
    : TrainPlan(exchange, profile),
      constant_(profile.time("direct.constant")),
      row_latency_(profile.time("direct.row_latency")),
      signal_(profile.time("direct.signal")),
      row_ns_(profile.value("direct.row")),
      line_rate_{profile.value("nic.line_rate")},
      expert_row_ns_(profile.value("hybrid.copy_epilogue_row")),
      reduce_token_(profile.time("hybrid.reduce_token")),
      gpu_sms_(static_cast<int>(profile.value("gpu.sms"))) {}

Picoseconds DirectPlan::rows(double count, Bytes bytes) const {
  return from_ns(count * (row_ns_ + transfer_ns(static_cast<double>(bytes.count), line_rate_)));
}

Picoseconds DirectPlan::dispatch_out(int attention) const {
  return rows(load_.rows_of_attention(attention), dispatch_row(exchange_));
}

Picoseconds DirectPlan::dispatch_in(int attention, int ffn) const {
  return rows(load_.rows(attention, ffn), dispatch_row(exchange_));
}

Picoseconds DirectPlan::expand(int ffn) const {
  return from_ns(expert_row_ns_ * gemm_.epilogue_slowdown() * load_.expert_rows(ffn));
}

Picoseconds DirectPlan::combine_out(int ffn) const {
  return rows(load_.rows_of_ffn(ffn), combine_row(exchange_));
}

Picoseconds DirectPlan::combine_in(int ffn, int attention) const {
  return rows(load_.rows(attention, ffn), combine_row(exchange_));
}

Picoseconds DirectPlan::combine(int, Picoseconds stream) const {
  return std::max(signals(), row_latency_ + stream);
}

TrainPort DirectPlan::port_out(bool of_ffn) const {
  return {"/nic/requester", of_ffn ? Resource::ffn_requester : Resource::attention_requester};
}

TrainPort DirectPlan::port_in(bool of_ffn) const {
  return {"/nic/responder", of_ffn ? Resource::ffn_responder : Resource::attention_responder};
}

}  // namespace fanin::model
