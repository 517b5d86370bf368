#include "run_flags.hpp"

#include <algorithm>
#include <sstream>

#include "exchange_flags.hpp"
#include "fanin/hw/error.hpp"
#include "fanin/kernels/availability.hpp"
#include "fanin/kernels/config_error.hpp"

namespace fanin::experiments {

namespace {

constexpr const char* kFixForm = "none, or of 2, 4, 4:k=8, 6, 9, joined by +";

int parse_rotation(const std::string& option, const std::string& fix) {
  int k = 0;
  std::istringstream text(option);
  if (!(text >> k) || !text.eof() || k < 1) throw InputError("--fix", "'" + fix + "'", kFixForm);
  return k;
}

/// Fixes that the kernels can run.
kernels::ProtocolOptions parse_fixes(const std::string& fixes) {
  kernels::ProtocolOptions options;
  if (fixes == "none") return options;
  std::istringstream parts(fixes);
  for (std::string fix; std::getline(parts, fix, '+');) {
    if (fix == "2") {
      options.skip_zero_counts = true;
    } else if (fix == "4" || fix.rfind("4:k=", 0) == 0) {
      constexpr int kChannelsOfRecordedSm = 8;
      options.rotate = fix == "4" ? kChannelsOfRecordedSm : parse_rotation(fix.substr(4), fix);
    } else if (fix == "6") {
      options.ready_first = true;
    } else if (fix == "9") {
      options.inline_finish = true;
    } else {
      throw InputError("--fix", "the kernels do not run '" + fix + "'", kFixForm);
    }
  }
  return options;
}

template <class T>
void put(std::vector<std::string>& out, const char* name, const T& value, const T& unless) {
  if (value == unless) return;
  std::ostringstream text;
  text << value;
  out.insert(out.end(), {name, text.str()});
}

}  // namespace

void RunFlags::add_to(CLI::App& verb) {
  verb.add_option("--tokens", tokens, "Tokens of each Attention GPU, T")->delimiter(',');
  auto* const domains =
      verb.add_option("--sources", sources, "Attention domains, S")->delimiter(',');
  verb.add_option("--attention-ranks", attention_ranks, "Attention GPUs, S x --gpus-per-domain")
      ->delimiter(',')
      ->excludes(domains);
  verb.add_option("--gpus-per-domain", gpus_per_domain,
                  "Virtual GPUs of each domain, each with SMs of its own, U");
  verb.add_option("--transport-sms", transport_sms, "SMs of dispatch and combine")->delimiter(',');
  verb.add_option("--channels-per-sm", channels_per_sm, "Channels of one transport SM")
      ->delimiter(',');
  verb.add_option("--fix", fixes, std::string("Protocol fixes: ") + kFixForm)->delimiter(',');
  verb.add_option("--ffn-ranks", ffn_ranks, "FFN GPUs; default one domain");
  verb.add_option("--hidden", hidden, "BF16 elements of a row");
  verb.add_option("--top-k", top_k, "Experts of a token");
  verb.add_option("--experts", experts, "Experts of all FFN GPUs");
  verb.add_option("--capacity", capacity, "Most tokens that the buffers hold");
  verb.add_option("--tail-interval", tail_interval, "Tokens between two tail updates");
  verb.add_option("--queues", queues, "Contexts allocated; default min(16 x SMs + 1, 129)");
  verb.add_option("--source-tokens", source_tokens,
                  "Tokens of each Attention GPU, instead of --tokens")
      ->delimiter(',');
  verb.add_option("--routing", routing, "random:SEED, or a file: rank token expert …");
  verb.add_option("--transport", transport, "What moves rows and signals")
      ->check(CLI::IsMember({"nvlink", "emulated_nic"}));
  verb.add_option("--nic", nic, "Settings of the emulated NIC, key=value")->delimiter(',');
  verb.add_option("--check", check, "Blocks whose data are compared with the CPU reference")
      ->check(CLI::IsMember({"every", "first", "off"}));
  verb.add_option("--copy-grid", copy_ctas, "CTAs of the FFN copy epilogue; default the free SMs");
  verb.add_option("--reduce-grid", reduce_ctas,
                  "CTAs of a reduce epilogue; default the free SMs over sources");
  verb.add_option("--graph-exchanges", graph_exchanges, "Exchanges in one CUDA graph");
  verb.add_option("--replays", replays, "Graphs in one timed block");
  verb.add_option("--blocks", blocks, "Timed blocks");
  verb.add_option("--warmup-blocks", warmup_blocks, "Blocks before the timed ones");
  verb.add_option("--data-seed", data_seed, "Seed of rows and weights");
  verb.add_option("--timeout-ms", timeout_ms, "Limit of every wait");
  verb.add_flag("--serial", serial, "One kernel at a time, for compute-sanitizer; only nvlink");
}

std::vector<RunPoint> RunFlags::grid() const {
  if (gpus_per_domain < 1 || gpus_per_domain > kernels::kMaxRails) {
    throw InputError("--gpus-per-domain", "is " + std::to_string(gpus_per_domain),
                     "1 to " + std::to_string(kernels::kMaxRails));
  }
  std::vector<int> domains = sources;
  if (!attention_ranks.empty()) domains.clear();
  for (const int gpus : attention_ranks) {
    if (gpus % gpus_per_domain != 0) {
      throw InputError("--attention-ranks", std::to_string(gpus) + " are no whole domains",
                       "a multiple of --gpus-per-domain " + std::to_string(gpus_per_domain));
    }
    domains.push_back(gpus / gpus_per_domain);
  }
  std::vector<RunPoint> points;
  for (const int t : tokens) {
    for (const int s : domains) {
      for (const int sms : transport_sms) {
        for (const int channels : channels_per_sm) {
          for (const std::string& fix : fixes) points.push_back({t, s, sms, channels, fix});
        }
      }
    }
  }
  return points;
}

std::vector<std::int32_t> RunFlags::draw_routing(int attention_gpus_of_point, int most) const {
  model::Exchange exchange;
  exchange.attention_ranks = attention_gpus_of_point;
  exchange.tokens = most;
  exchange.top_k = top_k;
  exchange.experts = experts;
  const auto table = read_routing(routing, exchange);
  if (table == nullptr) {
    throw InputError("--routing", "kernels need a drawn table, not '" + routing + "'",
                     "random:SEED or a file");
  }
  return table->experts;
}

kernels::RunConfig RunFlags::config(const RunPoint& point) const {
  kernels::RunConfig out;
  kernels::Shape& shape = out.shape;
  shape.ffn_ranks = ffn_gpus();
  shape.gpus_per_domain = gpus_per_domain;
  shape.sources = point.sources;
  shape.hidden = hidden;
  shape.top_k = top_k;
  shape.experts = experts;
  shape.sms = point.transport_sms;
  shape.channels_per_sm = point.channels_per_sm;
  shape.tail_interval = tail_interval;
  shape.queues = queues > 0 ? queues : std::min(16 * point.transport_sms + 1, 129);
  shape.options = parse_fixes(point.fix);
  out.tokens = source_tokens.empty()
                   ? std::vector<int>(static_cast<std::size_t>(std::max(attention_gpus(point), 0)),
                                      point.tokens)
                   : source_tokens;
  const int most = out.tokens.empty() ? 0 : *std::max_element(out.tokens.begin(), out.tokens.end());
  shape.capacity = std::max(capacity, most);
  if (point.sources < 1 || most < 0 || top_k < 1 || experts < 1) {
    throw InputError("--sources, --tokens, --top-k, --experts", "below the least",
                     "1, 0, 1 and 1 or more");
  }
  out.routing = draw_routing(attention_gpus(point), most);
  out.transport =
      transport == "nvlink" ? kernels::TransportKind::nvlink : kernels::TransportKind::emulated_nic;
  out.nic = nic;
  out.check = check == "every" ? kernels::Check::every
                               : (check == "first" ? kernels::Check::first : kernels::Check::off);
  out.copy_ctas = copy_ctas;
  out.reduce_ctas = reduce_ctas;
  out.graph_exchanges = graph_exchanges;
  out.replays = replays;
  out.blocks = blocks;
  out.warmup_blocks = warmup_blocks;
  out.data_seed = data_seed;
  out.timeout_ms = timeout_ms;
  out.serial = serial;
  try {
    out.validate();
  } catch (const kernels::ConfigError& error) {
    throw InputError(error.where(), error.problem(), error.expected());
  }
  return out;
}

std::vector<std::string> RunFlags::arguments(const RunPoint& point) const {
  const RunFlags defaults;
  std::vector<std::string> out = {"--transport",       transport,
                                  "--tokens",          std::to_string(point.tokens),
                                  "--sources",         std::to_string(point.sources),
                                  "--transport-sms",   std::to_string(point.transport_sms),
                                  "--channels-per-sm", std::to_string(point.channels_per_sm),
                                  "--routing",         routing};
  put(out, "--fix", point.fix, std::string("none"));
  put(out, "--gpus-per-domain", gpus_per_domain, defaults.gpus_per_domain);
  put(out, "--ffn-ranks", ffn_ranks, defaults.ffn_ranks);
  put(out, "--hidden", hidden, defaults.hidden);
  put(out, "--top-k", top_k, defaults.top_k);
  put(out, "--experts", experts, defaults.experts);
  put(out, "--capacity", capacity, defaults.capacity);
  put(out, "--tail-interval", tail_interval, defaults.tail_interval);
  put(out, "--queues", queues, defaults.queues);
  put(out, "--check", check, defaults.check);
  put(out, "--copy-grid", copy_ctas, defaults.copy_ctas);
  put(out, "--reduce-grid", reduce_ctas, defaults.reduce_ctas);
  put(out, "--graph-exchanges", graph_exchanges, defaults.graph_exchanges);
  put(out, "--replays", replays, defaults.replays);
  put(out, "--blocks", blocks, defaults.blocks);
  put(out, "--warmup-blocks", warmup_blocks, defaults.warmup_blocks);
  put(out, "--data-seed", data_seed, defaults.data_seed);
  put(out, "--timeout-ms", timeout_ms, defaults.timeout_ms);
  for (const int count : source_tokens)
    out.insert(out.end(), {"--source-tokens", std::to_string(count)});
  for (const std::string& setting : nic) out.insert(out.end(), {"--nic", setting});
  if (serial) out.push_back("--serial");
  return out;
}

void require_gpu(const std::string& verb) {
  if (const std::string reason = kernels::missing(); !reason.empty()) {
    throw InputError(verb, reason, "an NVIDIA GPU and a build with CUDA");
  }
}

}  // namespace fanin::experiments
