#include <algorithm>
#include <memory>
#include <vector>

#include "environment.hpp"
#include "fanin/kernels/run.hpp"
#include "graphs.cuh"
#include "launcher.cuh"

namespace fanin::kernels {

namespace {

std::unique_ptr<Carrier> make_carrier(const RunConfig& config) {
  return config.transport == TransportKind::nvlink ? make_nvlink_carrier()
                                                   : make_nic_carrier(config);
}

double median(std::vector<double> values) {
  std::sort(values.begin(), values.end());
  const std::size_t half = values.size() / 2;
  return values.size() % 2 != 0 ? values[half] : (values[half - 1] + values[half]) / 2.0;
}

/// Everything that lives as long as one configuration runs.
class Exchange {
 public:
  explicit Exchange(const RunConfig& config)
      : config_(config),
        carrier_(make_carrier(config)),
        plan_(plan_launches(config, carrier_->sms())),
        world_(config, std::max({config.shape.sms, plan_.copy_ctas, plan_.reduce_ctas})),
        launcher_(carrier_->launcher(world_, plan_, config.stamps)),
        gate_(world_.stall_report(), plan_.limit_ns) {
    launcher_->prepare();
    int lowest = 0;
    int highest = 0;
    FANIN_CUDA_CHECK(cudaDeviceGetStreamPriorityRange(&lowest, &highest));
    const Shape& shape = config_.shape;
    if (config_.serial) {
      add_graph(lowest, [&](cudaStream_t stream) { serial_exchange(stream); });
      return;
    }
    for (int f = 0; f < shape.ffn_ranks; ++f) {
      add_graph(highest, [&](cudaStream_t stream) { launcher_->ffn_exchange(f, stream); });
    }
    first_source_ = graphs_.size();
    for (int s = 0; s < shape.attention_ranks(); ++s) {
      add_graph(lowest, [&](cudaStream_t stream) {
        launcher_->source_send(s, stream);
        launcher_->source_receive(s, stream);
      });
    }
  }

  /// Largest over Attention ranks of the time per exchange.
  double block() {
    carrier_->start(world_.stall_report(), plan_.limit_ns);
    const cudaEvent_t gate = config_.serial ? gate_.leave_open() : gate_.close();
    std::vector<cudaEvent_t> ends;
    for (auto& graph : graphs_) {
      graph->enqueue(gate, config_.replays);
      ends.push_back(graph->end());
    }
    carrier_->stop_behind(ends);
    gate_.open();
    double worst = 0.0;
    for (std::size_t g = 0; g < graphs_.size(); ++g) {
      const double us = graphs_[g]->wait_us();
      if (g >= first_source_) worst = std::max(worst, us);
    }
    carrier_->stop();
    world_.throw_if_stalled();
    return worst;
  }

  World& world() { return world_; }
  const Carrier& carrier() const { return *carrier_; }

 private:
  void add_graph(int priority, const std::function<void(cudaStream_t)>& record) {
    graphs_.push_back(std::make_unique<RankGraph>(config_.graph_exchanges, priority, record));
  }

  void serial_exchange(cudaStream_t stream) {
    for (int s = 0; s < config_.shape.sources; ++s) launcher_->source_send(s, stream);
    for (int f = 0; f < config_.shape.ffn_ranks; ++f) launcher_->ffn_exchange(f, stream);
    for (int s = 0; s < config_.shape.sources; ++s) launcher_->source_receive(s, stream);
  }

  const RunConfig& config_;
  std::unique_ptr<Carrier> carrier_;
  LaunchPlan plan_;
  World world_;
  std::unique_ptr<Launcher> launcher_;
  Gate gate_;
  std::vector<std::unique_ptr<RankGraph>> graphs_;
  std::size_t first_source_ = 0;
};

/// When the last exchange's finish words were written, by Attention rank: [domain · C + channel].
std::vector<std::vector<std::uint64_t>> served_finishes(const RunConfig& config, const World& world,
                                                        const Carrier& carrier) {
  std::vector<std::vector<std::uint64_t>> out;
  const Shape& shape = config.shape;
  for (int s = 0; s < shape.attention_ranks(); ++s) {
    const std::vector<ServedAt> served = carrier.served(shape.rank_of_source(s));
    if (served.empty()) continue;
    const auto words = static_cast<std::size_t>(shape.ffn_domains()) * shape.channels();
    const auto first = reinterpret_cast<std::uint64_t>(world.source(s).inbox.finishes);
    std::vector<std::uint64_t> ns(words, 0);
    for (const ServedAt& op : served) {
      const std::uint64_t word = (op.target - first) / sizeof(device::Word);
      if (op.target >= first && word < words) ns[word] = op.ns;
    }
    out.push_back(std::move(ns));
  }
  return out;
}

RunResult run_blocks(const RunConfig& config) {
  Exchange exchange(config);
  RunResult result;
  exchange.world().load(config.data_seed);
  for (int block = -config.warmup_blocks; block < config.blocks; ++block) {
    // The first warm-up block is checked too, so that nothing is timed that delivers wrong data.
    const bool first = block == -config.warmup_blocks;
    const bool checked = config.check == Check::every || (config.check == Check::first && first);
    if (checked && !first) exchange.world().load(config.data_seed + result.checked_blocks);
    const double us = exchange.block();
    if (block >= 0) result.block_us.push_back(us);
    if (!checked) continue;
    const CheckResult check = exchange.world().check();
    ++result.checked_blocks;
    result.checked_bytes += check.bytes;
    if (check.wrong != 0) {
      throw RunFailure("wrong data in block " + std::to_string(block) + ": " +
                       std::to_string(check.wrong) + " differences, first: " + check.first);
    }
  }
  result.median_us = median(result.block_us);
  result.placement = exchange.world().placement();
  result.nic_sms = exchange.carrier().placement();
  result.nic_name = exchange.carrier().name();
  result.stamps = exchange.world().stamps();
  result.matched_ns = exchange.world().matched_ns();
  if (config.stamps) {
    result.served_ns = served_finishes(config, exchange.world(), exchange.carrier());
  }
  return result;
}

}  // namespace

RunResult run_exchange(const RunConfig& config) {
  config.validate();
  prepare_environment();
  try {
    return run_blocks(config);
  } catch (const CudaError& error) {
    throw RunFailure(error.what());
  }
}

}  // namespace fanin::kernels
