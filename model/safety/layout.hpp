// Who holds which word, and which tokens ride which list, of one system under one set of rules.
#pragma once

#include <string>
#include <vector>

#include "fanin/model/safety.hpp"
#include "rules.hpp"

namespace fanin::model::safety {

/// Attention GPU (domain = source s) or FFN GPU (domain f), on rail j. On a symmetric system every
/// GPU is both, and domains are numbered through, those that own experts first.
struct Gpu {
  int domain = 0;
  int rail = 0;
};

class Layout {
 public:
  Layout(const System& system, const Rules& rules) : system_(system), rules_(rules) {}

  const System& system() const { return system_; }
  const Rules& rules() const { return rules_; }
  bool symmetric() const { return system_.protocol == Protocol::symmetric; }
  /// Domains that send in dispatch, and that receive.
  int sources() const { return symmetric() ? domains() : system_.sources; }
  int ffn_domains() const { return symmetric() ? domains() : system_.ffn_domains; }
  /// In that direction nothing tells of a list without rows.
  bool silent(Phase phase, int from, int to) const {
    return rules_.fixed.silent(phase, from < system_.ffn_domains, to < system_.ffn_domains);
  }
  std::vector<Gpu> attention_gpus() const;
  std::vector<Gpu> ffn_gpus() const;
  /// The Attention GPUs that this FFN GPU's rail connects, and the other way round.
  std::vector<Gpu> peers_of_ffn(const Gpu& ffn) const;
  std::vector<Gpu> peers_of_attention(const Gpu& attention) const;

  /// Tokens of the source's GPU on the rail of `ffn` that ride `channel` to `ffn`'s domain.
  std::vector<int> list(int exchange, const Gpu& ffn, int source, int channel) const;
  /// Tokens that the Attention GPU sends to the domain of `ffn`, any channel.
  std::vector<int> tokens(int exchange, const Gpu& attention, int ffn_domain) const;
  /// Does the token have an expert on the domain's GPU at `rail`?
  bool has_expert_at(int token, int rail) const;
  /// Contexts carry data from 1 in dispatch (0 is for counts), from 0 in combine.
  int dispatch_context(int channel) const { return 1 + data_context(channel); }
  int combine_context(int channel) const { return data_context(channel); }
  int cta(int channel) const { return channel / system_.channels_per_sm; }

  std::string attention(const Gpu& gpu) const { return gpu_name(gpu, false, ""); }
  std::string ffn(const Gpu& gpu) const { return gpu_name(gpu, true, ""); }
  std::string ffn_domain(int domain) const { return gpu_name({domain, -1}, true, "domain "); }
  /// Groups for a biased scheduler: each GPU, and behind them each GPU's NIC.
  int gpu_group(const Gpu& gpu, bool is_ffn) const;
  int nic_group(const Gpu& gpu, bool is_ffn) const;

  /// Signal of domain `from` at the entry of a symmetric kernel.
  std::string entry(const Gpu& at, Phase phase, int from) const;
  // Words at an FFN GPU
  std::string tail(const Gpu& ffn, int source, int channel) const;
  std::string taken(const Gpu& ffn, int source, int channel) const;
  std::string count(const Gpu& ffn, int source, int which) const;
  std::string merged_dispatch_finish(const Gpu& ffn, int source) const;
  std::string dispatch_row(const Gpu& ffn, int source, int channel, int index) const;
  std::string forwarded_row(const Gpu& ffn, int to_rail, int source, int channel, int index) const;
  std::string list_end(const Gpu& ffn, int to_rail, int channel) const;
  std::string expert_tail(const Gpu& ffn, int from_rail, int channel) const;
  std::string expert_row(const Gpu& ffn, int from_rail, int source, int channel, int index) const;
  std::string staged_row(const Gpu& ffn, int source, int channel, int index) const;
  // Words at an Attention GPU
  std::string send_row(const Gpu& attention, int ffn_domain, int channel, int index) const;
  std::string finish(const Gpu& attention, int ffn_domain, int channel) const;
  std::string merged_combine_finish(const Gpu& attention, int ffn_domain) const;
  std::string release(const Gpu& attention, int ffn_domain) const;
  std::string combined_row(const Gpu& attention, int ffn_domain, int token) const;

 private:
  int domains() const { return system_.ffn_domains + system_.sources; }
  int data_context(int channel) const;
  /// `what` comes before the number; rail -1: the whole domain.
  std::string gpu_name(const Gpu& gpu, bool as_ffn, const std::string& what) const;

  System system_;
  Rules rules_;
};

}  // namespace fanin::model::safety
