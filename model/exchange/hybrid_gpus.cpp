#include "hybrid_gpus.hpp"

#include <algorithm>
#include <utility>

namespace fanin::model {

std::vector<QueueLoad> dispatch_loads(const Plan& plan, int source, int rail) {
  std::vector<QueueLoad> most;
  for (int domain = 0; domain < plan.ffn_domains; ++domain) {
    std::vector<QueueLoad> loads;
    const Lane& lane = plan.dispatch.lane(rail, source, domain);
    for (int c = 0; c < plan.dispatch_channels; ++c) {
      const auto context =
          static_cast<std::size_t>(plan.dispatch_context[static_cast<std::size_t>(c)]);
      if (context >= loads.size()) loads.resize(context + 1);
      const int rows = lane.rows(c);
      loads[context].writes += rows;
      loads[context].fetch_adds += rows / plan.exchange().tail_interval;
      ++(plan.inline_finish(rows) ? loads[context].writes : loads[context].fetch_adds);
    }
    keep_larger(most, loads);
  }
  return most;
}

std::vector<QueueLoad> combine_loads(const Plan& plan, int domain, int rail) {
  std::vector<QueueLoad> most;
  for (int source = 0; source < plan.sources; ++source) {
    std::vector<QueueLoad> loads;
    const Lane& lane = plan.combine.lane(rail, source, domain);
    for (int c = 0; c < plan.combine_channels; ++c) {
      const auto context =
          static_cast<std::size_t>(plan.combine_context[static_cast<std::size_t>(c)]);
      if (context >= loads.size()) loads.resize(context + 1);
      loads[context].writes += lane.rows(c);
      ++(plan.inline_finish(lane.rows(c)) ? loads[context].writes : loads[context].fetch_adds);
    }
    keep_larger(most, loads);
  }
  return most;
}

Network::NicOptions ffn_nic(std::string name, int peers, bool counted,
                            std::vector<QueueLoad> loads) {
  return {std::move(name), Resource::ffn_requester, Resource::ffn_responder, peers,
          counted,         NicSide::ffn_outbound,   NicSide::ffn_inbound,    std::move(loads)};
}

Network::NicOptions attention_nic(std::string name, int peers, bool counted,
                                  std::vector<QueueLoad> loads) {
  return {std::move(name),
          Resource::attention_requester,
          Resource::attention_responder,
          peers,
          counted,
          NicSide::attention_outbound,
          NicSide::attention_inbound,
          std::move(loads)};
}

namespace {

/// `bytes` moved by `ctas` CTAs.
Picoseconds by_ctas(double bytes, int ctas, GigabytesPerSecond each) {
  return from_ns(transfer_ns(bytes, {each.value * ctas}));
}

}  // namespace

Epilogue::Times copy_times(const Plan& plan, int domain, int rail) {
  const auto rows = static_cast<double>(plan.dispatch.expert_rows(domain, rail));
  const double row_bytes = 2.0 * plan.exchange().hidden;
  const double beyond = std::max(0.0, rows - plan.costs.cached_bytes / row_bytes);
  const double ns =
      plan.costs.copy_epilogue_row_ns * rows + plan.costs.copy_epilogue_row_memory_ns * beyond;
  const double slower = plan.gemm.epilogue_slowdown();
  return {plan.costs.copy_epilogue,
          by_ctas(slower * rows * row_bytes, plan.copy_ctas(), plan.costs.copy_epilogue_cta),
          from_ns(ns * slower)};
}

Epilogue::Times reduce_times(const Plan& plan) {
  const int tokens = plan.exchange().tokens;
  return {plan.costs.reduce,
          by_ctas(static_cast<double>(tokens) * 2.0 * plan.exchange().hidden, plan.reduce_ctas(),
                  plan.costs.reduce_cta),
          plan.costs.reduce_token * tokens};
}

Picoseconds copy_epilogue(const Plan& plan, int domain, int rail) {
  const Epilogue::Times times = copy_times(plan, domain, rail);
  return times.constant + std::max(times.ctas, times.memory);
}

}  // namespace fanin::model
