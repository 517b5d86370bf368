// The hybrid exchange with stock kernels: every GPU sends and receives in both phases, with all
// other domains. Its dispatch and combine kernels are the two halves that role kernels keep apart,
// run side by side; a kernel ends with its last half, and the sending half stands behind the
// domains' entry barrier. Both epilogues run on every GPU.
#include <deque>
#include <string>
#include <utility>
#include <vector>

#include "domain_entry.hpp"
#include "hybrid_gpus.hpp"
#include "paths.hpp"
#include "results.hpp"

namespace fanin::model {
namespace {

/// One NIC for both roles: messages go by phase.
struct BothRoles final : Receiver {
  DispatchReceiver* dispatch = nullptr;
  CombineReceiver* collect = nullptr;
  DomainEntry* dispatch_entry = nullptr;
  DomainEntry* combine_entry = nullptr;

  void visible(sim::Simulator& simulator, const Message& message, Picoseconds at,
               sim::Cause cause) override {
    const bool dispatching = message.phase == Phase::dispatch;
    if (message.barrier) {
      (dispatching ? dispatch_entry : combine_entry)->arrive(simulator, at, cause);
    } else if (dispatching) {
      dispatch->visible(simulator, message, at, cause);
    } else {
      collect->visible(simulator, message, at, cause);
    }
  }
};

constexpr const char* kKernels[] = {"hybrid_dispatch", "dispatch_copy_epilogue", "hybrid_combine",
                                    "combine_reduce_epilogue"};

struct Gpu {
  Gpu(World& world, const Plan& plan, Network& network, FfnDomain& barriers,
      const std::string& name, DomainEntry::Place place, bool is_ffn, int rounds)
      : timeline{name, nullptr, sim::kNoCause, kKernels},
        dispatch_out(world, plan, network, timeline, place.domain, place.rail),
        dispatch_entry(world, network, timeline, dispatch_out, Phase::dispatch, place),
        dispatch_in(world, plan, timeline, place.domain, place.rail, barriers.exit),
        dispatch(timeline, dispatch_entry, dispatch_in),
        epilogue(world, timeline, copy_epilogue(plan, place.domain, place.rail),
                 Resource::ffn_copy_epilogue),
        combine_out(world, plan, network, timeline, place.domain, place.rail, barriers.entry),
        combine_entry(world, network, timeline, combine_out, Phase::combine, place),
        collect(world, plan, timeline, place.domain, place.rail),
        combine(timeline, combine_entry, collect),
        reduce(world, timeline,
               plan.costs.reduce + plan.costs.reduce_token * (is_ffn ? 0 : plan.exchange().tokens),
               Resource::attention_reduce),
        stream(world.simulator, name,
               {{&dispatch, plan.costs.kernel_gap, false, {}},
                {&epilogue, plan.costs.kernel_gap + plan.gemm.launch_wait(is_ffn), false, {}},
                {&combine, plan.costs.kernel_gap, false, {}},
                {&reduce, plan.costs.kernel_gap + plan.gemm.launch_wait(is_ffn), false, {}}},
               rounds) {
    timeline.stream = &stream;
    dispatch_in.after_exit = [this](sim::Simulator& simulator, sim::Cause cause) {
      combine_out.dispatch_exited(simulator, cause);
    };
    combine_entry.before_signals = [this](sim::Simulator& simulator, sim::Cause cause) {
      combine_out.post_before_entry(simulator, cause);
    };
    nic.dispatch = &dispatch_in;
    nic.collect = &collect;
    nic.dispatch_entry = &dispatch_entry;
    nic.combine_entry = &combine_entry;
  }
  Timeline timeline;
  DispatchSender dispatch_out;
  DomainEntry dispatch_entry;
  DispatchReceiver dispatch_in;
  JointKernel dispatch;
  FixedKernel epilogue;
  CombineSender combine_out;
  DomainEntry combine_entry;
  CombineReceiver collect;
  JointKernel combine;
  FixedKernel reduce;
  sim::Stream stream;
  BothRoles nic;
};

class SymmetricExchange {
 public:
  SymmetricExchange(const Exchange& exchange, const hw::Profile& profile,
                    const SimulationOptions& options)
      : plan_(exchange, profile, options.reference),
        ffn_domains_(plan_.ffn_domains),
        domains_(plan_.ffn_domains + plan_.sources),
        world_(options, domains_ * plan_.rails),
        network_(world_, nic_costs(profile, plan_.rules)) {
    // The barrier's cost beside waiting and signals, half at each kernel.
    plan_.make_symmetric({profile.time("hybrid.symmetric_constant").count / 2});
    const int rounds = options.max_exchanges + 2;
    for (int d = 0; d < domains_; ++d)
      barriers_.emplace_back(plan_.rails, plan_.costs.nvlink_barrier);
    for (int d = 0; d < domains_; ++d) {
      for (int j = 0; j < plan_.rails; ++j) {
        gpus_.emplace_back(world_, plan_, network_, barriers_[static_cast<std::size_t>(d)],
                           name_of(d, j), DomainEntry::Place{d, domains_, j, plan_.rails},
                           is_ffn(d), rounds);
        network_.add(nic_of(d, j), gpus_.back().nic);
      }
    }
  }

  SimulationResult run() {
    for (Gpu& gpu : gpus_) gpu.stream.begin(world_.simulator, {});
    if (world_.observe)
      world_.on_round = [this](int round) { usage_.snapshot(round, network_, {}); };
    world_.simulator.run();
    SimulationResult result = collect_results(world_, usage_);
    add_kernels(result);
    result.gemm = plan_.gemm.times(plan_.exchange(), result);
    return result;
  }

 private:
  bool is_ffn(int domain) const { return domain < ffn_domains_; }
  int number_of(int domain, int rail) const {
    return plan_.gpu_number(is_ffn(domain) ? domain : domain - ffn_domains_, rail);
  }
  std::string name_of(int domain, int rail) const {
    return (is_ffn(domain) ? "ffn" : "attention") + std::to_string(number_of(domain, rail));
  }

  Network::NicOptions nic_of(int domain, int rail) const {
    std::vector<QueueLoad> loads = dispatch_loads(plan_, domain, rail);
    keep_larger(loads, combine_loads(plan_, domain, rail));
    return (is_ffn(domain) ? ffn_nic : attention_nic)(
        name_of(domain, rail), domains_, number_of(domain, rail) == 0, std::move(loads));
  }

  void add_kernels(SimulationResult& result) const {
    const Exchange& exchange = plan_.exchange();
    const int grids[] = {exchange.transport_sms, plan_.gpu_sms, exchange.ffn_combine_sms_used(),
                         plan_.gpu_sms};
    const int first_attention = ffn_domains_ * plan_.rails;
    const Gpu& anchor = gpus_[static_cast<std::size_t>(first_attention)];
    const KernelTable table{world_.period.round(), anchor.stream, result};
    for (std::size_t i = 0; i < gpus_.size(); ++i) {
      const int domain = static_cast<int>(i) / plan_.rails;
      const int device = number_of(domain, static_cast<int>(i) % plan_.rails) +
                         (is_ffn(domain) ? 0 : exchange.ffn_ranks);
      table.add(gpus_[i].stream, device, is_ffn(domain) ? "ffn" : "attention", kKernels, grids);
    }
  }

  Plan plan_;
  int ffn_domains_;
  int domains_;
  World world_;
  Network network_;
  UsageWindow usage_;
  std::deque<FfnDomain> barriers_;
  std::deque<Gpu> gpus_;
};

}  // namespace

SimulationResult simulate_symmetric(const Exchange& exchange, const hw::Profile& profile,
                                    const SimulationOptions& options) {
  SymmetricExchange symmetric(exchange, profile, options);
  return symmetric.run();
}

}  // namespace fanin::model
