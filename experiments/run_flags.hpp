// The options of `run` and `trace`: a grid of exchanges over SMs, sources, tokens and channels.
#pragma once

#include <CLI/CLI.hpp>
#include <string>
#include <vector>

#include "fanin/kernels/run.hpp"

namespace fanin::experiments {

/// One exchange of the grid as the command line states it.
struct RunPoint {
  int tokens = 1;
  int sources = 1;
  int transport_sms = 24;
  int channels_per_sm = 8;
  std::string fix = "none";
};

struct RunFlags {
  std::vector<int> tokens{1};
  std::vector<int> sources{1};
  std::vector<int> attention_ranks;  ///< instead of `sources`: sources · gpus_per_domain
  std::vector<int> transport_sms{24};
  std::vector<int> channels_per_sm{8};
  std::vector<std::string> fixes{"none"};
  int gpus_per_domain = 1;
  int ffn_ranks = 0;  ///< 0: one domain
  int hidden = 2048;
  int top_k = 8;
  int experts = 128;
  int capacity = 2048;
  int tail_interval = 3;
  int queues = 0;                  ///< 0: min(16·SMs + 1, 129)
  std::vector<int> source_tokens;  ///< of each Attention GPU; empty: --tokens for all
  std::string routing = "random:1";
  std::string transport = "nvlink";
  std::vector<std::string> nic;
  std::string check = "every";
  int copy_ctas = 0;
  int reduce_ctas = 0;
  int graph_exchanges = 10;
  int replays = 10;
  int blocks = 20;
  int warmup_blocks = 2;
  std::uint64_t data_seed = 1;
  double timeout_ms = 500.0;
  bool serial = false;

  void add_to(CLI::App& verb);

  /// FFN GPUs of all domains.
  int ffn_gpus() const { return ffn_ranks > 0 ? ffn_ranks : gpus_per_domain; }
  int attention_gpus(const RunPoint& point) const { return point.sources * gpus_per_domain; }

  /// Every combination, tokens changing slowest. Throws InputError.
  std::vector<RunPoint> grid() const;
  /// What the kernels take. Throws InputError.
  kernels::RunConfig config(const RunPoint& point) const;
  /// The options that make one point again, without the verb.
  std::vector<std::string> arguments(const RunPoint& point) const;

 private:
  std::vector<std::int32_t> draw_routing(int attention_gpus_of_point, int most) const;
};

/// Throws InputError that names `verb` when this build or machine cannot run it.
void require_gpu(const std::string& verb);

}  // namespace fanin::experiments
