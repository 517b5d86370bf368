#include "fanin/model/exchange.hpp"

#include <algorithm>

namespace fanin::model {

std::string_view to_string(Protocol protocol) {
  return protocol == Protocol::role ? "role" : "symmetric";
}

std::string_view to_string(Path path) {
  switch (path) {
    case Path::nvlink: return "nvlink";
    case Path::hybrid: return "hybrid";
    case Path::direct: return "direct";
  }
  return "";
}

std::string_view to_string(Payload payload) { return payload == Payload::bf16 ? "bf16" : "fp8"; }

std::string_view to_string(ExitMode exit) {
  return exit == ExitMode::per_cta ? "per_cta" : "grid_sync";
}

std::string_view to_string(Variant variant) {
  switch (variant) {
    case Variant::none: return "none";
    case Variant::ffn_combine_grid: return "ffn_combine_grid";
    case Variant::combine_grid_all_ranks: return "combine_grid_all_ranks";
    case Variant::expand_overlaps_ingress_bound: return "expand_overlaps_ingress_bound";
  }
  return "";
}

std::string_view to_string(GemmSide side) {
  switch (side) {
    case GemmSide::both: return "both";
    case GemmSide::attention: return "attention";
    case GemmSide::ffn: return "ffn";
  }
  return "";
}

int Exchange::sources() const {
  if (path == Path::nvlink) return attention_ranks;
  return gpus_per_domain > 0 ? attention_ranks / gpus_per_domain : 0;
}

int Exchange::ffn_domains() const {
  if (path == Path::nvlink) return 1;
  return gpus_per_domain > 0 ? ffn_ranks / gpus_per_domain : 0;
}

std::vector<std::string> Exchange::validate() const {
  std::vector<std::string> problems;
  const auto range = [&](std::string_view field, int value, int low, int high) {
    if (value >= low && value <= high) return;
    problems.push_back(std::string(field) + ": " + std::to_string(value) + "; expected " +
                       std::to_string(low) + "…" + std::to_string(high));
  };
  range("ffn_ranks", ffn_ranks, 1, 1 << 16);
  range("attention_ranks", attention_ranks, 1, 1 << 16);
  range("gpus_per_domain", gpus_per_domain, 1, 1024);
  range("capacity", capacity, 1, 1 << 24);
  range("tokens", tokens, 0, std::max(capacity, 1));
  range("hidden", hidden, 1, 1 << 20);
  range("top_k", top_k, 1, 64);
  range("experts", experts, 1, 1 << 20);
  range("transport_sms", transport_sms, 1, 1024);
  range("channels_per_sm", channels_per_sm, 1, 64);
  range("tail_interval", tail_interval, 1, 1 << 20);
  range("queue_depth", queue_depth, 1, 1 << 20);
  if (combine_sms) range("combine_sms", *combine_sms, 1, 1024);
  if (ffn_combine_sms) range("ffn_combine_sms", *ffn_combine_sms, 1, 1024);
  if (queues) range("queues", *queues, 1, 1 << 16);
  if (outstanding) range("outstanding", *outstanding, 1, 1 << 16);
  if (payload_start_delay_us < 0.0)
    problems.emplace_back("payload_start_delay_us: negative; expected ≥ 0");
  if (gemm_solo_us < 0.0) problems.emplace_back("gemm_solo_us: negative; expected ≥ 0");
  if (top_k > experts) {
    problems.push_back("top_k: " + std::to_string(top_k) + " of " + std::to_string(experts) +
                       " experts; expected top_k ≤ experts");
  }
  if (ffn_ranks > 0 && experts % ffn_ranks != 0) {
    problems.push_back("experts: " + std::to_string(experts) + " do not divide over " +
                       std::to_string(ffn_ranks) + " FFN ranks; expected a multiple of ffn_ranks");
  }
  if (combine_flush && path != Path::hybrid) {
    problems.push_back("combine_flush: on path " + std::string(to_string(path)) +
                       "; expected path hybrid");
  }
  // CTA 0 of each dispatch waits for all others, which need an SM more.
  if (attention_sms && transport_sms > 1)
    range("attention_sms", *attention_sms, (one_gpu ? sources() : 1) + 1, 1 << 20);
  if (copy_ctas) range("copy_ctas", *copy_ctas, 1, 1 << 16);
  if (reduce_ctas) range("reduce_ctas", *reduce_ctas, 1, 1 << 16);
  if (placed() && (path != Path::hybrid || protocol != Protocol::role)) {
    problems.push_back("placement: of a " + std::string(to_string(protocol)) +
                       " exchange on path " + std::string(to_string(path)) +
                       "; expected protocol role, path hybrid");
  }
  if (one_gpu && gpus_per_domain != 1) {
    problems.push_back("one_gpu: with " + std::to_string(gpus_per_domain) +
                       " GPUs a domain; expected gpus_per_domain 1");
  }
  if (path != Path::nvlink && gpus_per_domain > 0) {
    if (ffn_ranks % gpus_per_domain != 0) {
      problems.push_back(
          "ffn_ranks: " + std::to_string(ffn_ranks) +
          " is no whole number of domains; expected a multiple of gpus_per_domain = " +
          std::to_string(gpus_per_domain));
    }
    if (attention_ranks % gpus_per_domain != 0) {
      problems.push_back(
          "attention_ranks: " + std::to_string(attention_ranks) +
          " is no whole number of domains; expected a multiple of gpus_per_domain = " +
          std::to_string(gpus_per_domain));
    }
  }
  return problems;
}

std::string fixes_to_string(const std::vector<Fix>& fixes) {
  if (fixes.empty()) return "none";
  std::string text;
  for (const Fix& fix : fixes) {
    if (!text.empty()) text += '+';
    text += std::to_string(fix.number);
    for (const auto& [key, value] : fix.options) text += ":" + key + "=" + value;
  }
  return text;
}

}  // namespace fanin::model
