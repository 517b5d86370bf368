// The hybrid exchange with stock kernels: every GPU sends and receives in both phases, with all
// other domains. Its dispatch and combine kernels are the two halves that role kernels keep apart,
// run side by side behind the kernel's entry barrier; both epilogues run on every GPU.
#include <algorithm>
#include <deque>
#include <optional>
#include <string>

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

struct Gpu {
  Gpu(World& world, const Plan& plan, Network& network, FfnDomain& barriers,
      const std::string& name, DomainEntry::Place place, bool is_ffn, int rounds)
      : sending{name, nullptr, sim::kNoCause, kAttentionKernels},
        receiving{name, nullptr, sim::kNoCause, kFfnKernels},
        dispatch_out(world, plan, network, sending, place.domain, place.rail),
        dispatch_entry(world, network, sending, dispatch_out, Phase::dispatch, place),
        finalize(world, sending, {}, Resource::attention_other),
        collect(world, plan, sending, place.domain, place.rail),
        reduce(world, sending,
               plan.costs.reduce + plan.costs.reduce_token * (is_ffn ? 0 : plan.exchange().tokens),
               Resource::attention_reduce),
        dispatch_in(world, plan, receiving, place.domain, place.rail, barriers.exit),
        epilogue(world, receiving, copy_epilogue(plan, place.domain, place.rail),
                 Resource::ffn_copy_epilogue),
        combine_out(world, plan, network, receiving, place.domain, place.rail, barriers.entry),
        combine_entry(world, network, receiving, combine_out, Phase::combine, place),
        complete(world, receiving, {}, Resource::ffn_other),
        send_stream(world.simulator, name,
                    {{&dispatch_entry, plan.costs.kernel_gap, false, {}},
                     {&finalize, {}, false, {}},
                     {&collect, {}, false, {}},
                     {&reduce, plan.costs.kernel_gap + plan.gemm.launch_wait(is_ffn), false, {}}},
                    rounds),
        receive_stream(
            world.simulator, name,
            {{&dispatch_in, plan.costs.kernel_gap, false, {}},
             {&epilogue, plan.costs.kernel_gap + plan.gemm.launch_wait(is_ffn), false, {}},
             {&combine_entry, plan.costs.kernel_gap, false, {}},
             {&complete, {}, false, {}}},
            rounds) {
    sending.stream = &send_stream;
    receiving.stream = &receive_stream;
    nic.dispatch = &dispatch_in;
    nic.collect = &collect;
    nic.dispatch_entry = &dispatch_entry;
    nic.combine_entry = &combine_entry;
  }
  Timeline sending;
  Timeline receiving;
  DispatchSender dispatch_out;
  DomainEntry dispatch_entry;
  FixedKernel finalize;
  CombineReceiver collect;
  FixedKernel reduce;
  DispatchReceiver dispatch_in;
  FixedKernel epilogue;
  CombineSender combine_out;
  DomainEntry combine_entry;
  FixedKernel complete;
  sim::Stream send_stream;
  sim::Stream receive_stream;
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
        network_(world_, nic_costs(profile, exchange)) {
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
    for (Gpu& gpu : gpus_) {
      gpu.receive_stream.begin(world_.simulator, {});
      gpu.send_stream.begin(world_.simulator, {});
    }
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
    return (is_ffn(domain) ? domain : domain - ffn_domains_) * plan_.exchange().gpus_per_domain +
           rail;
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

  /// The halves of a kernel make one span.
  void add_kernels(SimulationResult& result) const {
    const Exchange& exchange = plan_.exchange();
    const Gpu& anchor = gpus_[static_cast<std::size_t>(ffn_domains_ * plan_.rails)];
    const int send_grids[] = {exchange.transport_sms, 1, exchange.ffn_combine_sms_used(),
                              plan_.gpu_sms};
    const int receive_grids[] = {exchange.transport_sms, plan_.gpu_sms,
                                 exchange.ffn_combine_sms_used(), 1};
    const char* const send_names[] = {"hybrid_dispatch", "", "hybrid_combine",
                                      "combine_reduce_epilogue"};
    const char* const receive_names[] = {"hybrid_dispatch", "dispatch_copy_epilogue",
                                         "hybrid_combine", ""};
    for (std::size_t i = 0; i < gpus_.size(); ++i) {
      const int domain = static_cast<int>(i) / plan_.rails;
      const int device = number_of(domain, static_cast<int>(i) % plan_.rails) +
                         (is_ffn(domain) ? 0 : exchange.ffn_ranks);
      const char* role = is_ffn(domain) ? "ffn" : "attention";
      SimulationResult halves;
      halves.exchange = result.exchange;
      const KernelTable table{world_.period.round(), anchor.send_stream, halves};
      table.add(gpus_[i].send_stream, device, role, send_names, send_grids);
      table.add(gpus_[i].receive_stream, device, role, receive_names, receive_grids);
      merge_halves(halves, result);
    }
  }

  static void merge_halves(const SimulationResult& halves, SimulationResult& result) {
    int launch = 0;
    for (const char* name : {"hybrid_dispatch", "dispatch_copy_epilogue", "hybrid_combine",
                             "combine_reduce_epilogue"}) {
      std::optional<KernelSpan> joint;
      for (const KernelSpan& half : halves.kernels) {
        if (half.kernel != name) continue;
        if (!joint) joint = half;
        joint->start = name == std::string("hybrid_combine") ? std::max(joint->start, half.start)
                                                             : std::min(joint->start, half.start);
        joint->end = std::max(joint->end, half.end);
      }
      if (!joint) continue;
      joint->launch_index = launch++;
      result.kernels.push_back(*joint);
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
