// Which rows each Attention GPU sends on which channel, and how many copies of a row NVLink
// carries.
#pragma once

#include <cstdint>
#include <vector>

#include "rules.hpp"

namespace fanin::model {

/// Rows between one Attention GPU (source, rail) and one FFN domain, by channel, in token order.
struct Lane {
  /// copies[first[c] … first[c + 1]) are channel c's rows: to how many GPUs of the FFN domain each
  /// goes.
  std::vector<std::int32_t> first;
  std::vector<float> copies;

  int rows(int channel) const {
    const auto index = static_cast<std::size_t>(channel);
    return first[index + 1] - first[index];
  }
  int rows() const { return first.back(); }
};

class Workload {
 public:
  /// `channels`: of the phase at hand. With a routing table rows and copies are the table's.
  /// Without, they are expected values of random routing: each row has the mean number of copies,
  /// and where only a share p of tokens reaches a domain, token t does when floor((t + 1)·p) >
  /// floor(t·p).
  Workload(const Rules& rules, int channels);

  /// True when all rails are alike, so that one of them stands for the exchange.
  bool rails_alike() const { return rails_alike_; }

  const Lane& lane(int rail, int source, int ffn_domain) const {
    const std::size_t shared_rail = rails_alike_ ? 0 : static_cast<std::size_t>(rail);
    return lanes_[(shared_rail * static_cast<std::size_t>(sources_) +
                   static_cast<std::size_t>(source)) *
                      static_cast<std::size_t>(domains_) +
                  static_cast<std::size_t>(ffn_domain)];
  }

  /// The same rows where every domain, FFN domains first, is source and destination of all: rows
  /// only go from Attention's to FFN's.
  Workload between_all_domains(int channels) const;

  /// Expert rows that one GPU of an FFN domain expands.
  double expert_rows(int ffn_domain, int gpu) const;

 private:
  void expect(const Rules& rules, int channels);
  void follow_table(const Rules& rules, int channels);

  int sources_;
  int domains_;
  int gpus_per_domain_;
  bool rails_alike_;
  std::vector<Lane> lanes_;
  std::vector<double> expert_rows_;  // [domain · U + gpu]
};

}  // namespace fanin::model
