#include "plan.hpp"

#include <algorithm>

#include "fanin/model/message_size.hpp"

namespace fanin::model {

std::vector<std::int32_t> contexts_of(int sms, int channels_per_sm, int contexts, int first) {
  std::vector<std::int32_t> context;
  for (int sm = 0; sm < sms; ++sm) {
    const int own = contexts / sms + (sm < contexts % sms ? 1 : 0);
    for (int k = 0; k < channels_per_sm; ++k) {
      context.push_back(first + (own > 0 ? sm + k % own * sms : sm % contexts));
    }
  }
  return context;
}

Plan::Plan(const Exchange& described, const hw::Profile& profile, bool all_rails)
    : rules(rules_of(described)),
      costs(profile),
      gemm(rules.exchange, profile),
      dispatch(rules, rules.exchange.channels()),
      combine(rules, rules.exchange.channels_per_sm * rules.exchange.ffn_combine_sms_used()),
      dispatch_channels(rules.exchange.channels()),
      combine_channels(rules.exchange.channels_per_sm * rules.exchange.ffn_combine_sms_used()),
      sources(rules.exchange.sources()),
      ffn_domains(rules.exchange.ffn_domains()),
      rails(all_rails || !dispatch.rails_alike() ? rules.exchange.gpus_per_domain : 1),
      gpu_sms(static_cast<int>(profile.value("gpu.sms"))),
      dispatch_row(model::dispatch_row(rules.exchange)),
      combine_row(model::combine_row(rules.exchange)),
      count_write(model::count_write(rules.exchange)),
      ffn_roles(ffn_domains),
      first_attention_nic(ffn_domains * rails) {
  const Exchange& exchange = rules.exchange;
  if (rules.occupancy_bitmap) count_write.count += (dispatch_channels + 7) / 8;
  const auto allocated = [&](int sms) {
    return exchange.queues.value_or(std::min(16 * sms + 1, 129));
  };
  // Dispatch keeps context 0 for counts; combine uses all.
  dispatch_context = contexts_of(exchange.transport_sms, exchange.channels_per_sm,
                                 std::max(allocated(exchange.transport_sms) - 1, 1), 1);
  const int combine_sms = exchange.ffn_combine_sms_used();
  combine_context = contexts_of(combine_sms, exchange.channels_per_sm, allocated(combine_sms), 0);
}

void Plan::make_symmetric(Picoseconds barrier) {
  dispatch = dispatch.between_all_domains(dispatch_channels);
  combine = combine.between_all_domains(combine_channels);
  sources += ffn_domains;
  ffn_domains = sources;
  first_attention_nic = 0;
  symmetric = true;
  costs.dispatch_entry += barrier;
  costs.combine_entry += barrier;
}

}  // namespace fanin::model
