// The hybrid role exchange: RDMA between domains on rails, NVLink inside, kernels by role.
#include <algorithm>
#include <cmath>
#include <deque>
#include <memory>
#include <string>

#include "combine_receiver.hpp"
#include "combine_sender.hpp"
#include "dispatch_receiver.hpp"
#include "dispatch_sender.hpp"
#include "network.hpp"
#include "paths.hpp"
#include "plan.hpp"
#include "results.hpp"
#include "world.hpp"

namespace fanin::model {
namespace {

/// Work requests by context, of the peer that gets the most.
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

Picoseconds copy_epilogue(const Plan& plan, int domain, int rail) {
  return plan.costs.copy_epilogue +
         from_ns(plan.costs.copy_epilogue_row_ns * plan.dispatch.expert_rows(domain, rail));
}

/// The recorded timelines' kernel names.
constexpr const char* kAttentionKernels[] = {"hybrid_dispatch", "afdep_source_finalize",
                                             "afdep_hybrid_collect_impl",
                                             "combine_reduce_epilogue"};
constexpr const char* kFfnKernels[] = {"hybrid_dispatch", "dispatch_copy_epilogue",
                                       "hybrid_combine", "afdep_ffn_complete"};

struct AttentionGpu {
  AttentionGpu(World& world, const Plan& plan, Network& network, int source, int rail, int rounds)
      : timeline{"attention" + std::to_string(source * plan.exchange().gpus_per_domain + rail),
                 nullptr, sim::kNoCause, kAttentionKernels},
        dispatch(world, plan, network, timeline, source, rail),
        finalize(world, timeline, plan.costs.finalize, Resource::attention_other),
        collect(world, plan, timeline, source, rail),
        reduce(world, timeline,
               plan.costs.reduce + plan.costs.reduce_token * plan.exchange().tokens,
               Resource::attention_reduce),
        stream(world.simulator, timeline.name,
               {{&dispatch, plan.costs.kernel_gap, false, {}},
                {&finalize, plan.costs.kernel_gap, false, {}},
                {&collect, plan.costs.kernel_gap, false, {}},
                {&reduce, plan.costs.kernel_gap, false, {}}},
               rounds) {
    timeline.stream = &stream;
  }
  Timeline timeline;
  DispatchSender dispatch;
  FixedKernel finalize;
  CombineReceiver collect;
  FixedKernel reduce;
  sim::Stream stream;
};

struct FfnDomain {
  FfnDomain(int gpus, Picoseconds barrier) : exit(gpus, barrier), entry(gpus, barrier) {}
  sim::Barrier exit;   // of the dispatch kernel
  sim::Barrier entry;  // of the combine kernel
};

struct FfnGpu {
  FfnGpu(World& world, const Plan& plan, Network& network, FfnDomain& barriers, int domain,
         int rail, int rounds)
      : timeline{"ffn" + std::to_string(domain * plan.exchange().gpus_per_domain + rail), nullptr,
                 sim::kNoCause, kFfnKernels},
        dispatch(world, plan, timeline, domain, rail, barriers.exit),
        epilogue(world, timeline, copy_epilogue(plan, domain, rail), Resource::ffn_copy_epilogue),
        combine(world, plan, network, timeline, domain, rail, barriers.entry),
        complete(world, timeline, plan.costs.complete, Resource::ffn_other),
        stream(world.simulator, timeline.name,
               {{&dispatch, plan.costs.kernel_gap, false, {}},
                {&epilogue, plan.costs.kernel_gap, false, {}},
                {&combine, plan.costs.kernel_gap, false, {}},
                {&complete, plan.costs.kernel_gap, false, {}}},
               rounds) {
    timeline.stream = &stream;
    dispatch.after_exit = [this](sim::Simulator& simulator, sim::Cause cause) {
      combine.dispatch_exited(simulator, cause);
    };
  }
  Timeline timeline;
  DispatchReceiver dispatch;
  FixedKernel epilogue;
  CombineSender combine;
  FixedKernel complete;
  sim::Stream stream;
};

class HybridExchange {
 public:
  HybridExchange(const Exchange& exchange, const hw::Profile& profile,
                 const SimulationOptions& options)
      : plan_(exchange, profile, options.reference),
        world_(options, plan_.sources * plan_.rails),
        network_(world_, nic_costs_of(profile)) {
    // One round more than the search may need, so that what follows an exchange is there to overlap
    // it.
    const int rounds = options.max_exchanges + 2;
    for (int d = 0; d < plan_.ffn_domains; ++d)
      barriers_.emplace_back(plan_.rails, plan_.costs.nvlink_barrier);
    for (int d = 0; d < plan_.ffn_domains; ++d) {
      for (int j = 0; j < plan_.rails; ++j) {
        ffn_.emplace_back(world_, plan_, network_, barriers_[static_cast<std::size_t>(d)], d, j,
                          rounds);
      }
    }
    for (int s = 0; s < plan_.sources; ++s) {
      for (int j = 0; j < plan_.rails; ++j)
        attention_.emplace_back(world_, plan_, network_, s, j, rounds);
    }
    connect();
  }

  SimulationResult run() {
    for (FfnGpu& gpu : ffn_) gpu.stream.begin(world_.simulator, {});
    for (AttentionGpu& gpu : attention_) gpu.stream.begin(world_.simulator, {});
    if (world_.observe)
      world_.on_round = [this](int round) { usage_.snapshot(round, network_, forward_servers()); };
    world_.simulator.run();
    SimulationResult result = collect_results(world_, usage_);
    add_kernels(result);
    return result;
  }

 private:
  NicCosts nic_costs_of(const hw::Profile& profile) const {
    NicCosts costs = nic_costs(profile, plan_.exchange());
    costs.uses_inline = plan_.rules.inline_empty_finishes;
    return costs;
  }

  void connect() {
    for (int d = 0; d < plan_.ffn_domains; ++d) {
      for (int j = 0; j < plan_.rails; ++j) {
        FfnGpu& gpu = ffn_[static_cast<std::size_t>(d * plan_.rails + j)];
        Network::NicOptions nic;
        nic.name = gpu.timeline.name;
        nic.requester = Resource::ffn_requester;
        nic.responder = Resource::ffn_responder;
        nic.peers = plan_.sources;
        nic.counted_outbound = nic.counted_inbound = d == 0 && j == 0;
        nic.outbound = NicSide::ffn_outbound;
        nic.inbound = NicSide::ffn_inbound;
        nic.loads = combine_loads(plan_, d, j);
        network_.add(std::move(nic), gpu.dispatch);
      }
    }
    for (int s = 0; s < plan_.sources; ++s) {
      for (int j = 0; j < plan_.rails; ++j) {
        AttentionGpu& gpu = attention_[static_cast<std::size_t>(s * plan_.rails + j)];
        Network::NicOptions nic;
        nic.name = gpu.timeline.name;
        nic.requester = Resource::attention_requester;
        nic.responder = Resource::attention_responder;
        nic.peers = plan_.ffn_domains;
        nic.counted_outbound = nic.counted_inbound = s == 0 && j == 0;
        nic.outbound = NicSide::attention_outbound;
        nic.inbound = NicSide::attention_inbound;
        nic.loads = dispatch_loads(plan_, s, j);
        network_.add(std::move(nic), gpu.collect);
      }
    }
  }

  std::vector<const sim::Server*> forward_servers() const {
    std::vector<const sim::Server*> servers;
    for (const sim::Server& server : ffn_.front().dispatch.sms()) servers.push_back(&server);
    return servers;
  }

  void add_kernels(SimulationResult& result) const {
    const Exchange& exchange = plan_.exchange();
    const int all = plan_.gpu_sms;
    const int ffn_grids[] = {exchange.transport_sms, all, exchange.ffn_combine_sms_used(), 1};
    const int attention_grids[] = {exchange.transport_sms, 1, 1, all};
    const KernelTable table{world_.period.round(), attention_.front().stream, result};
    for (std::size_t i = 0; i < ffn_.size(); ++i) {
      const int device = static_cast<int>(i) / plan_.rails * exchange.gpus_per_domain +
                         static_cast<int>(i) % plan_.rails;
      table.add(ffn_[i].stream, device, "ffn", kFfnKernels, ffn_grids);
    }
    for (std::size_t i = 0; i < attention_.size(); ++i) {
      const int device = exchange.ffn_ranks +
                         static_cast<int>(i) / plan_.rails * exchange.gpus_per_domain +
                         static_cast<int>(i) % plan_.rails;
      table.add(attention_[i].stream, device, "attention", kAttentionKernels, attention_grids);
    }
  }

  Plan plan_;
  World world_;
  Network network_;
  UsageWindow usage_;
  std::deque<FfnDomain> barriers_;
  std::deque<FfnGpu> ffn_;
  std::deque<AttentionGpu> attention_;
};

}  // namespace

SimulationResult simulate_hybrid(const Exchange& exchange, const hw::Profile& profile,
                                 const SimulationOptions& options) {
  HybridExchange hybrid(exchange, profile, options);
  return hybrid.run();
}

}  // namespace fanin::model
