// One exchange (dispatch + combine) between Attention and FFN GPUs: everything about it that is not
// the machine. Names and defaults are those of the program's flags and of the records' fields.
#pragma once

#include <cstdint>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "fanin/hw/units.hpp"

namespace fanin::model {

/// role: kernels specialised for Attention or FFN. symmetric: every rank runs both halves.
enum class Protocol { role, symmetric };
/// nvlink: one NVLink domain, no NIC. hybrid: RDMA between domains on rails, NVLink inside.
/// direct: RDMA to each destination GPU.
enum class Path { nvlink, hybrid, direct };
enum class Payload { bf16, fp8 };
/// per_cta: every CTA of a sender adds its own arrival. grid_sync: one arrival per GPU.
enum class ExitMode { per_cta, grid_sync };
/// Recorded variants that change timing only (the bound does not wait for its data).
enum class Variant {
  none,
  ffn_combine_grid,
  combine_grid_all_ranks,
  expand_overlaps_ingress_bound
};

/// Which GPUs run GEMMs beside the exchange.
enum class GemmSide { both, attention, ffn };

std::string_view to_string(Protocol);
std::string_view to_string(Path);
std::string_view to_string(Payload);
std::string_view to_string(ExitMode);
std::string_view to_string(Variant);
std::string_view to_string(GemmSide);

/// One of the protocol changes, with options such as {"k", "8"} for channel rotation.
struct Fix {
  int number = 0;  ///< 1…9: the protocol description's table; beyond: fixes.hpp
  std::map<std::string, std::string> options;
  bool operator==(const Fix&) const = default;
};

/// Which experts each token of each Attention GPU goes to; drawn outside the model and handed in.
struct RoutingTable {
  int top_k = 0;
  int tokens = 0;  ///< per Attention GPU
  int attention_ranks = 0;
  /// experts[(rank * tokens + token) * top_k + i], each in [0, experts); -1 = no expert.
  std::vector<std::int32_t> experts;
};

struct Exchange {
  Protocol protocol = Protocol::role;
  Path path = Path::hybrid;
  int ffn_ranks = 4;        ///< all FFN GPUs
  int attention_ranks = 4;  ///< all Attention GPUs
  int gpus_per_domain = 4;  ///< U; on `nvlink` all ranks share one domain
  int tokens = 1;           ///< T, per Attention GPU
  int hidden = 2048;
  int top_k = 8;
  int experts = 128;
  int capacity = 2048;  ///< largest T that buffers hold
  Payload payload = Payload::bf16;
  int transport_sms = 24;
  std::optional<int> combine_sms;      ///< absent: transport_sms
  std::optional<int> ffn_combine_sms;  ///< absent: combine_sms, else transport_sms
  int channels_per_sm = 8;
  int tail_interval = 3;
  std::optional<int> queues;  ///< contexts allocated; absent: min(16·SMs + 1, 129)
  int queue_depth = 128;
  std::optional<int> outstanding;  ///< fetch-adds in flight per queue; absent: the profile's
  ExitMode exit = ExitMode::per_cta;
  bool collect_view = false;
  /// Hybrid: a combine warp waits until all that its context holds is acknowledged before it posts
  /// its finishes (stock DeepEP V2; the recorded role build does not).
  bool combine_flush = false;
  Variant variant = Variant::none;
  double payload_start_delay_us = 0.0;
  double gemm_solo_us = 0.0;  ///< one GEMM alone; 0: no compute beside the exchange
  GemmSide gemm_on = GemmSide::both;
  std::vector<Fix> fixes;

  // Where the actors sit (hybrid role exchanges). Absent: each rank has a GPU with an SM for every
  // CTA.
  /// All ranks sit on one GPU: their dispatch CTAs share `attention_sms`, their epilogues its
  /// memory. One GPU a domain.
  bool one_gpu = false;
  /// SMs for CTAs of Attention's dispatch, one CTA an SM at a time; a larger grid runs in waves. Of
  /// each Attention GPU, or with one_gpu of all sources together. CTA 0 of a source keeps its SM
  /// until the counts of all others are in.
  std::optional<int> attention_sms;
  std::optional<int> copy_ctas;    ///< of an FFN GPU's copy epilogue; absent: the GPU's SMs
  std::optional<int> reduce_ctas;  ///< of an Attention GPU's reduce epilogue; absent: likewise

  std::shared_ptr<const RoutingTable> routing;  ///< null: expected values of random routing

  /// S: Attention domains that fan in to each FFN domain (hybrid, direct), or attention_ranks
  /// (nvlink).
  int sources() const;
  /// F_d; 1 on nvlink.
  int ffn_domains() const;
  /// C of the dispatch: channels_per_sm × transport_sms.
  int channels() const { return channels_per_sm * transport_sms; }
  int attention_combine_sms() const { return combine_sms.value_or(transport_sms); }
  int ffn_combine_sms_used() const { return ffn_combine_sms.value_or(attention_combine_sms()); }

  bool placed() const { return one_gpu || attention_sms || copy_ctas || reduce_ctas; }

  /// Everything that is wrong, one message an entry, each starting with the field's name; empty
  /// when the exchange can be modelled.
  std::vector<std::string> validate() const;
};

/// "none", "4", "4+8", "4:k=8+8": the form of the program's JSON output.
std::string fixes_to_string(const std::vector<Fix>& fixes);

}  // namespace fanin::model
