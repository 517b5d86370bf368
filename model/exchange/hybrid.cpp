// The hybrid role exchange: RDMA between domains on rails, NVLink inside, kernels by role.
#include <algorithm>
#include <cmath>
#include <deque>
#include <memory>
#include <optional>
#include <string>

#include "hybrid_gpus.hpp"
#include "network.hpp"
#include "paths.hpp"
#include "plan.hpp"
#include "results.hpp"
#include "world.hpp"

namespace fanin::model {
namespace {

class HybridExchange {
 public:
  HybridExchange(const Exchange& exchange, const hw::Profile& profile,
                 const SimulationOptions& options)
      : plan_(exchange, profile, options.reference),
        world_(options, plan_.sources * plan_.rails),
        network_(world_, nic_costs(profile, plan_.rules)) {
    // One round more than the search may need, so that what follows an exchange is there to overlap
    // it.
    const int rounds = options.max_exchanges + 2;
    place_actors();
    for (int d = 0; d < plan_.ffn_domains; ++d)
      barriers_.emplace_back(plan_.rails, plan_.costs.nvlink_barrier);
    for (int d = 0; d < plan_.ffn_domains; ++d) {
      for (int j = 0; j < plan_.rails; ++j) {
        ffn_.emplace_back(world_, plan_, network_, barriers_[static_cast<std::size_t>(d)], d, j,
                          rounds, shared_memory());
      }
    }
    for (int s = 0; s < plan_.sources; ++s) {
      for (int j = 0; j < plan_.rails; ++j) {
        attention_.emplace_back(world_, plan_, network_, s, j, rounds,
                                SharedGpu{slots_of(s * plan_.rails + j), shared_memory()});
      }
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
    if (world_.points.enabled()) add_points(result);
    result.gemm = plan_.gemm.times(plan_.exchange(), result);
    return result;
  }

 private:
  void place_actors() {
    const Exchange& exchange = plan_.exchange();
    if (exchange.one_gpu) memory_.emplace(world_);
    if (!exchange.attention_sms) return;
    const int gpus = exchange.one_gpu ? 1 : plan_.sources * plan_.rails;
    for (int i = 0; i < gpus; ++i) slots_.emplace_back(*exchange.attention_sms);
  }
  SharedMemory* shared_memory() { return memory_ ? &*memory_ : nullptr; }
  /// Of an Attention GPU's dispatch CTAs; one pool for all where they share a GPU.
  CtaSlots* slots_of(int gpu) {
    if (slots_.empty()) return nullptr;
    return &slots_[slots_.size() == 1 ? 0 : static_cast<std::size_t>(gpu)];
  }

  void connect() {
    for (int d = 0; d < plan_.ffn_domains; ++d) {
      for (int j = 0; j < plan_.rails; ++j) {
        FfnGpu& gpu = ffn_[static_cast<std::size_t>(plan_.ffn_nic(d, j))];
        network_.add(
            ffn_nic(gpu.timeline.name, plan_.sources, d == 0 && j == 0, combine_loads(plan_, d, j)),
            gpu.dispatch);
      }
    }
    for (int s = 0; s < plan_.sources; ++s) {
      for (int j = 0; j < plan_.rails; ++j) {
        const int index = s * plan_.rails + j;
        AttentionGpu& gpu = attention_[static_cast<std::size_t>(index)];
        network_.add(attention_nic(gpu.timeline.name, plan_.ffn_domains, s == 0 && j == 0,
                                   dispatch_loads(plan_, s, j)),
                     gpu.collect);
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
    const int ffn_grids[] = {exchange.transport_sms, plan_.copy_ctas(),
                             exchange.ffn_combine_sms_used(), 1};
    const int attention_grids[] = {exchange.transport_sms, 1, 1, plan_.reduce_ctas()};
    const KernelTable table{world_.period.round(), attention_.front().stream, result};
    for (std::size_t i = 0; i < ffn_.size(); ++i)
      table.add(ffn_[i].stream, number(i), "ffn", kFfnKernels, ffn_grids);
    for (std::size_t i = 0; i < attention_.size(); ++i) {
      table.add(attention_[i].stream, exchange.ffn_ranks + number(i), "attention",
                kAttentionKernels, attention_grids);
    }
  }

  void add_points(SimulationResult& result) const {
    const int round = world_.period.round();
    const Picoseconds zero =
        world_.points.first(round, Point::finish_posted, attention_.front().timeline);
    if (zero == sim::kNever) return;
    for (std::size_t i = 0; i < ffn_.size(); ++i) {
      world_.points.collect(round, ffn_[i].timeline, number(i), "ffn", zero, result.points);
    }
    for (std::size_t i = 0; i < attention_.size(); ++i) {
      world_.points.collect(round, attention_[i].timeline, plan_.exchange().ffn_ranks + number(i),
                            "attention", zero, result.points);
    }
  }

  /// Of GPU `i` among those of its role.
  int number(std::size_t i) const {
    return plan_.gpu_number(static_cast<int>(i) / plan_.rails, static_cast<int>(i) % plan_.rails);
  }

  Plan plan_;
  World world_;
  Network network_;
  UsageWindow usage_;
  std::optional<SharedMemory> memory_;
  std::deque<CtaSlots> slots_;
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
