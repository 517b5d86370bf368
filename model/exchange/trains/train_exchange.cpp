#include "train_exchange.hpp"

#include <deque>
#include <optional>
#include <string>
#include <vector>

#include "../results.hpp"
#include "kernels.hpp"

namespace fanin::model {
namespace {

struct Gpu {
  bool is_ffn = false;
  Timeline timeline;
  std::optional<TrainDispatch> dispatch;
  std::optional<CopyEpilogue> epilogue;
  std::optional<TrainCombine> combine;
  std::optional<FixedKernel> reduce;
  std::optional<sim::Stream> stream;
  std::vector<const char*> names;
  std::vector<int> grids;
  int dispatches = -1;  // the exchange whose kernel has opened
  int combines = -1;
};

std::vector<std::string> names_of(const char* role, int gpus) {
  std::vector<std::string> names;
  for (int i = 0; i < gpus; ++i) names.push_back(role + std::to_string(i));
  return names;
}

class TrainExchange final {
 public:
  TrainExchange(const TrainPlan& plan, const SimulationOptions& options)
      : plan_(&plan),
        exchange_(&plan.exchange()),
        world_(options, plan.exchange().attention_ranks),
        dispatch_entry_(ranks(), plan.dispatch_barrier()),
        combine_entry_(ranks(), {}),
        to_ffn_(*this),
        to_attention_(*this),
        ledger_(plan.count_rules()) {
    const std::vector<std::string> ffn_names = names_of("ffn", exchange_->ffn_ranks);
    const std::vector<std::string> attention_names =
        names_of("attention", exchange_->attention_ranks);
    dispatch_links_.emplace(world_, to_ffn_, Links::Side{attention_names, plan.port_out(false)},
                            Links::Side{ffn_names, plan.port_in(true)});
    combine_links_.emplace(world_, to_attention_, Links::Side{ffn_names, plan.port_out(true)},
                           Links::Side{attention_names, plan.port_in(false)});
    for (int f = 0; f < exchange_->ffn_ranks; ++f)
      add_gpu(ffn_names[static_cast<std::size_t>(f)], f, -1);
    for (int a = 0; a < exchange_->attention_ranks; ++a)
      add_gpu(attention_names[static_cast<std::size_t>(a)], -1, a);
    for (Gpu& gpu : gpus_) add_stream(gpu, options.max_exchanges + 2);
  }

  SimulationResult run() {
    for (Gpu& gpu : gpus_) gpu.stream->begin(world_.simulator, {});
    if (world_.observe) world_.on_round = [this](int) { usage_.snapshot(servers()); };
    world_.simulator.run();
    SimulationResult result = collect_results(world_, usage_);
    result.operations = ledger_.of_round(world_.period.round());
    const KernelTable table{world_.period.round(), *attention(0).stream, result};
    int device = 0;
    for (const Gpu& gpu : gpus_) {
      table.add(*gpu.stream, device++, gpu.is_ffn ? "ffn" : "attention", gpu.names.data(),
                gpu.grids.data());
    }
    result.gemm = plan_->gemm().times(*exchange_, result);
    return result;
  }

 private:
  using Port = TrainLedger::Port;
  using Kind = TrainLedger::Kind;

  struct ToFfn final : RowReceiver {
    explicit ToFfn(TrainExchange& owner) : exchange(&owner) {}
    void rows_arrived(sim::Simulator&, int, int to, Picoseconds at, sim::Cause cause) override {
      const Picoseconds end = at + exchange->plan_->dispatch_tail();
      exchange->end_no_earlier(to, end,
                               exchange->world_.record(at, end, cause, Resource::nvlink_exit));
    }
    TrainExchange* exchange;
  };
  struct ToAttention final : RowReceiver {
    explicit ToAttention(TrainExchange& owner) : exchange(&owner) {}
    void rows_arrived(sim::Simulator& simulator, int from, int, Picoseconds at,
                      sim::Cause cause) override {
      exchange->ffn(from).combine->arrive(simulator, at, cause);
    }
    TrainExchange* exchange;
  };

  int ranks() const { return exchange_->ffn_ranks + exchange_->attention_ranks; }
  Gpu& ffn(int index) { return gpus_[static_cast<std::size_t>(index)]; }
  Gpu& attention(int index) {
    return gpus_[static_cast<std::size_t>(exchange_->ffn_ranks + index)];
  }

  /// One of the two numbers is −1.
  void add_gpu(const std::string& name, int ffn_index, int attention_index) {
    Gpu& gpu = gpus_.emplace_back();
    gpu.timeline.name = name;
    gpu.is_ffn = ffn_index >= 0;
    add_dispatch(gpu, ffn_index, attention_index);
    if (gpu.is_ffn) {
      gpu.epilogue.emplace(world_, gpu.timeline, plan_->expand(ffn_index), plan_->overlap_exit());
    } else if (plan_->symmetric()) {
      gpu.epilogue.emplace(world_, gpu.timeline, plan_->idle_epilogue(), std::nullopt);
    }
    add_combine(gpu, ffn_index, attention_index);
    if (!gpu.is_ffn || plan_->symmetric()) {
      gpu.reduce.emplace(world_, gpu.timeline,
                         gpu.is_ffn ? plan_->idle_epilogue() : plan_->reduce(attention_index),
                         Resource::attention_reduce);
    }
  }

  void add_dispatch(Gpu& gpu, int ffn_index, int attention_index) {
    TrainDispatch::Options options;
    options.attention = attention_index;
    // Floor and rows of each pair of GPUs that this kernel's end waits for.
    const int pairs =
        exchange_->attention_ranks * (gpu.is_ffn && !plan_->symmetric() ? 1 : exchange_->ffn_ranks);
    options.expected = 2 * pairs;
    options.counts = gpu.is_ffn && plan_->counts(0) ? exchange_->attention_ranks : 0;
    options.entry = plan_->symmetric() ? &dispatch_entry_ : nullptr;
    options.payload_delay = plan_->payload_start();
    options.opened = [this, &gpu, ffn_index, attention_index] {
      ++gpu.dispatches;
      count_peers(gpu.dispatches, attention_index == 0, ffn_index != 0,
                  Port::attention_out_dispatch, Port::ffn_in_dispatch);
    };
    options.announce = [this, attention_index](Picoseconds at, sim::Cause cause) {
      announce(attention_index, at, cause);
    };
    options.send = [this, attention_index](sim::Cause cause) {
      send_dispatch(attention_index, cause);
    };
    gpu.dispatch.emplace(world_, gpu.timeline, std::move(options));
  }

  void add_combine(Gpu& gpu, int ffn_index, int attention_index) {
    TrainCombine::Options options;
    options.ffn = ffn_index;
    options.expected = gpu.is_ffn ? exchange_->attention_ranks : exchange_->ffn_ranks;
    options.entry = plan_->symmetric() ? &combine_entry_ : nullptr;
    options.opened = [this, &gpu, ffn_index, attention_index] {
      ++gpu.combines;
      count_peers(gpu.combines, ffn_index == 0, attention_index != 0, Port::ffn_out_combine,
                  Port::attention_in_combine);
    };
    if (gpu.is_ffn) {
      options.duration = [this, ffn_index](Picoseconds stream) {
        return plan_->combine(ffn_index, stream);
      };
      options.outlasts = [this, ffn_index](Picoseconds stream) {
        return plan_->combine_outlasts(ffn_index, stream);
      };
      options.send = [this, ffn_index](sim::Cause cause) { send_combine(ffn_index, cause); };
      options.ended = [this](Picoseconds at, sim::Cause cause) {
        for (int a = 0; a < exchange_->attention_ranks; ++a)
          attention(a).combine->arrive(world_.simulator, at, cause);
      };
    }
    gpu.combine.emplace(world_, gpu.timeline, std::move(options));
  }

  void add_stream(Gpu& gpu, int rounds) {
    const TrainPlan::Gaps gaps = plan_->gaps(gpu.is_ffn);
    std::vector<sim::Stream::Kernel> kernels;
    const auto add = [&](sim::KernelBody& body, const char* name, int grid, Picoseconds gap,
                         bool early) {
      kernels.push_back({&body, gap, early, {}});
      gpu.names.push_back(name);
      gpu.grids.push_back(grid);
    };
    add(*gpu.dispatch, "dispatch_impl", exchange_->transport_sms, gaps.dispatch, false);
    if (gpu.epilogue) {
      add(*gpu.epilogue, "dispatch_copy_epilogue", plan_->gpu_sms(), gaps.epilogue,
          gpu.is_ffn && plan_->counts(0));
    }
    add(*gpu.combine, "combine_impl",
        gpu.is_ffn ? exchange_->ffn_combine_sms_used() : exchange_->attention_combine_sms(),
        gpu.epilogue ? gaps.combine : gaps.attention_combine, false);
    if (gpu.reduce)
      add(*gpu.reduce, "combine_reduce_epilogue", plan_->gpu_sms(), gaps.reduce, false);
    gpu.stream.emplace(world_.simulator, gpu.timeline.name, std::move(kernels), rounds);
    gpu.timeline.stream = &*gpu.stream;
    gpu.timeline.kernels = gpu.names.data();
  }

  /// What an Attention GPU's dispatch tells at its start: no kernel ends before its floor, and when
  /// its counts will be known.
  void announce(int from, Picoseconds now, sim::Cause cause) {
    const int round = attention(from).dispatches;
    const TrainCountRules rules = plan_->count_rules();
    const Picoseconds floor = now + plan_->dispatch_floor();
    const sim::Cause at_floor = world_.record(now, floor, cause, Resource::nvlink_counts);
    const std::optional<Picoseconds> counts = plan_->counts(from);
    for (int to = 0; to < exchange_->ffn_ranks; ++to) {
      end_no_earlier(to, floor, at_floor);
      if (counts) {
        const Picoseconds at = now + *counts;
        ffn(to).dispatch->counts_arrive(world_.simulator, at,
                                        world_.record(now, at, cause, Resource::nvlink_counts));
      }
      count_dispatch(round, from, to, Kind::count_add, rules.count_adds);
      count_dispatch(round, from, to, Kind::arrival, rules.dispatch_arrivals);
    }
  }

  void send_dispatch(int from, sim::Cause cause) {
    std::vector<Picoseconds> ingress;
    for (int to = 0; to < exchange_->ffn_ranks; ++to) {
      ingress.push_back(plan_->dispatch_in(from, to));
      count_dispatch(attention(from).dispatches, from, to, Kind::row,
                     whole_rows(plan_->load().rows(from, to)));
    }
    dispatch_links_->send(from, plan_->dispatch_out(from), ingress, cause);
  }

  /// Ports serve their peers turn by turn, so trains that meet there end together: a sender, whose
  /// rows meet those of all others somewhere, ends with the last of them.
  void end_no_earlier(int to, Picoseconds at, sim::Cause cause) {
    for (int i = 0; i < ranks(); ++i) {
      if (i >= exchange_->ffn_ranks || i == to || plan_->symmetric()) {
        gpus_[static_cast<std::size_t>(i)].dispatch->arrive(world_.simulator, at, cause);
      }
    }
  }

  void send_combine(int from, sim::Cause cause) {
    const int round = ffn(from).combines;
    std::vector<Picoseconds> ingress;
    for (int to = 0; to < exchange_->attention_ranks; ++to) {
      ingress.push_back(plan_->combine_in(from, to));
      count_combine(round, from, to, Kind::row, whole_rows(plan_->load().rows(to, from)));
      count_combine(round, from, to, Kind::arrival, plan_->count_rules().combine_arrivals);
    }
    combine_links_->send(from, plan_->combine_out(from), ingress, cause);
  }

  void count_dispatch(int round, int from, int to, Kind kind, std::int64_t operations) {
    if (from == 0) ledger_.count(round, Port::attention_out_dispatch, kind, operations);
    if (to == 0) ledger_.count(round, Port::ffn_in_dispatch, kind, operations);
  }

  void count_combine(int round, int from, int to, Kind kind, std::int64_t operations) {
    if (from == 0) ledger_.count(round, Port::ffn_out_combine, kind, operations);
    if (to == 0) ledger_.count(round, Port::attention_in_combine, kind, operations);
  }

  /// A GPU signals all others, at an entry barrier or an exit.
  void count_peers(int round, bool counted_out, bool reaches_counted, Port out, Port in) {
    if (!plan_->count_rules().peers_signal) return;
    if (counted_out) ledger_.count(round, out, Kind::peer_signal, ranks() - 1);
    if (reaches_counted) ledger_.count(round, in, Kind::peer_signal, 1);
  }

  std::vector<const sim::Server*> servers() const {
    std::vector<const sim::Server*> all = dispatch_links_->servers();
    const std::vector<const sim::Server*> back = combine_links_->servers();
    all.insert(all.end(), back.begin(), back.end());
    return all;
  }

  const TrainPlan* plan_;
  const Exchange* exchange_;
  World world_;
  sim::Barrier dispatch_entry_;
  sim::Barrier combine_entry_;
  ToFfn to_ffn_;
  ToAttention to_attention_;
  std::optional<Links> dispatch_links_;
  std::optional<Links> combine_links_;
  TrainLedger ledger_;
  UsageWindow usage_;
  std::deque<Gpu> gpus_;
};

}  // namespace

SimulationResult run_trains(const TrainPlan& plan, const SimulationOptions& options) {
  TrainExchange exchange(plan, options);
  return exchange.run();
}

}  // namespace fanin::model
