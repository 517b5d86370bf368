// The GPUs of a hybrid exchange: an Attention GPU's kernels, an FFN GPU's, and what their NICs get.
#pragma once

#include <string>
#include <vector>

#include "combine_receiver.hpp"
#include "combine_sender.hpp"
#include "dispatch_receiver.hpp"
#include "dispatch_sender.hpp"
#include "epilogue.hpp"
#include "network.hpp"
#include "plan.hpp"
#include "world.hpp"

namespace fanin::model {

/// Work requests by context, of the peer that gets the most.
std::vector<QueueLoad> dispatch_loads(const Plan& plan, int source, int rail);
std::vector<QueueLoad> combine_loads(const Plan& plan, int domain, int rail);

/// The NIC of an FFN or an Attention GPU that `peers` send to, `counted` in the operation counts.
Network::NicOptions ffn_nic(std::string name, int peers, bool counted,
                            std::vector<QueueLoad> loads);
Network::NicOptions attention_nic(std::string name, int peers, bool counted,
                                  std::vector<QueueLoad> loads);

/// Duration of an FFN GPU's copy epilogue, of as many CTAs as the GPU has SMs.
Picoseconds copy_epilogue(const Plan& plan, int domain, int rail);
/// The same by what it spends it on, for the exchange's own grid.
Epilogue::Times copy_times(const Plan& plan, int domain, int rail);
Epilogue::Times reduce_times(const Plan& plan);

/// What ranks share where the exchange says so; null otherwise.
struct SharedGpu {
  CtaSlots* slots = nullptr;  ///< of Attention's dispatch
  SharedMemory* memory = nullptr;
};

/// The recorded timelines' kernel names.
inline constexpr const char* kAttentionKernels[] = {"hybrid_dispatch", "afdep_source_finalize",
                                                    "afdep_hybrid_collect_impl",
                                                    "combine_reduce_epilogue"};
inline constexpr const char* kFfnKernels[] = {"hybrid_dispatch", "dispatch_copy_epilogue",
                                              "hybrid_combine", "afdep_ffn_complete"};

struct AttentionGpu {
  AttentionGpu(World& world, const Plan& plan, Network& network, int source, int rail, int rounds,
               const SharedGpu& shared)
      : timeline{"attention" + std::to_string(plan.gpu_number(source, rail)), nullptr,
                 sim::kNoCause, kAttentionKernels},
        dispatch(world, plan, network, timeline, source, rail, shared.slots),
        finalize(world, timeline, plan.costs.finalize, Resource::attention_other),
        collect(world, plan, timeline, source, rail),
        reduce(world, timeline, reduce_times(plan), Resource::attention_reduce, shared.memory),
        stream(world.simulator, timeline.name,
               {{&dispatch, plan.costs.kernel_gap, false, {}},
                {&finalize, plan.costs.kernel_gap, false, {}},
                {&collect, plan.costs.kernel_gap, false, {}},
                {&reduce, plan.costs.kernel_gap + plan.gemm.launch_wait(false), false, {}}},
               rounds) {
    timeline.stream = &stream;
  }
  Timeline timeline;
  DispatchSender dispatch;
  FixedKernel finalize;
  CombineReceiver collect;
  Epilogue reduce;
  sim::Stream stream;
};

struct FfnDomain {
  FfnDomain(int gpus, Picoseconds barrier) : exit(gpus, barrier), entry(gpus, barrier) {}
  sim::Barrier exit;   // of the dispatch kernel
  sim::Barrier entry;  // of the combine kernel
};

struct FfnGpu {
  FfnGpu(World& world, const Plan& plan, Network& network, FfnDomain& barriers, int domain,
         int rail, int rounds, SharedMemory* memory)
      : timeline{"ffn" + std::to_string(plan.gpu_number(domain, rail)), nullptr, sim::kNoCause,
                 kFfnKernels},
        dispatch(world, plan, timeline, domain, rail, barriers.exit),
        epilogue(world, timeline, copy_times(plan, domain, rail), Resource::ffn_copy_epilogue,
                 memory),
        combine(world, plan, network, timeline, domain, rail, barriers.entry),
        complete(world, timeline, plan.costs.complete, Resource::ffn_other),
        stream(world.simulator, timeline.name,
               {{&dispatch, plan.costs.kernel_gap, false, {}},
                {&epilogue, plan.costs.kernel_gap + plan.gemm.launch_wait(true), false, {}},
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
  Epilogue epilogue;
  CombineSender combine;
  FixedKernel complete;
  sim::Stream stream;
};

}  // namespace fanin::model
