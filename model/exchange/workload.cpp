#include "workload.hpp"

#include <algorithm>
#include <cmath>

namespace fanin::model {
namespace {

/// Chance that none of a token's top-k distinct experts, drawn evenly, is among `share` of them.
double chance_of_none(int experts, int share, int top_k) {
  double chance = 1.0;
  for (int i = 0; i < top_k; ++i) {
    chance *= std::max(0.0, static_cast<double>(experts - share - i)) / (experts - i);
  }
  return chance;
}

struct Row {
  int channel;
  float copies;
};

/// Rows in token order, grouped by channel.
Lane lane_of(const std::vector<Row>& rows, int channels) {
  Lane lane;
  lane.first.assign(static_cast<std::size_t>(channels) + 1, 0);
  for (const Row& row : rows) ++lane.first[static_cast<std::size_t>(row.channel) + 1];
  for (std::size_t c = 1; c < lane.first.size(); ++c) lane.first[c] += lane.first[c - 1];
  lane.copies.resize(rows.size());
  std::vector<std::int32_t> next(lane.first.begin(), lane.first.end() - 1);
  for (const Row& row : rows) {
    lane.copies[static_cast<std::size_t>(next[static_cast<std::size_t>(row.channel)]++)] =
        row.copies;
  }
  return lane;
}

}  // namespace

Workload::Workload(const Rules& rules, int channels)
    : sources_(rules.exchange.sources()),
      domains_(rules.exchange.ffn_domains()),
      gpus_per_domain_(rules.exchange.gpus_per_domain),
      rails_alike_(!rules.exchange.routing && rules.rotation == 0) {
  if (rules.exchange.routing) {
    follow_table(rules, channels);
  } else {
    expect(rules, channels);
  }
}

void Workload::expect(const Rules& rules, int channels) {
  const Exchange& exchange = rules.exchange;
  const int per_gpu = exchange.experts / exchange.ffn_ranks;
  const int per_domain = exchange.experts / domains_;
  const double reaches = 1.0 - chance_of_none(exchange.experts, per_domain, exchange.top_k);
  const double gpus =
      gpus_per_domain_ * (1.0 - chance_of_none(exchange.experts, per_gpu, exchange.top_k));
  const auto copies = static_cast<float>(gpus / reaches);
  const int rails = rails_alike_ ? 1 : gpus_per_domain_;
  std::vector<Row> rows;
  for (int rail = 0; rail < rails; ++rail) {
    for (int source = 0; source < sources_; ++source) {
      rows.clear();
      for (int token = 0; token < exchange.tokens; ++token) {
        if (std::floor((token + 1) * reaches) > std::floor(token * reaches)) {
          rows.push_back({channel_of(rules, source, rail, token, channels), copies});
        }
      }
      const Lane lane = lane_of(rows, channels);
      for (int domain = 0; domain < domains_; ++domain) lanes_.push_back(lane);
    }
  }
  const double tokens = static_cast<double>(exchange.attention_ranks) * exchange.tokens;
  expert_rows_.assign(static_cast<std::size_t>(exchange.ffn_ranks),
                      tokens * exchange.top_k / exchange.ffn_ranks);
}

void Workload::follow_table(const Rules& rules, int channels) {
  const Exchange& exchange = rules.exchange;
  const RoutingTable& table = *exchange.routing;
  const int per_gpu = exchange.experts / exchange.ffn_ranks;
  expert_rows_.assign(static_cast<std::size_t>(exchange.ffn_ranks), 0.0);
  std::vector<std::vector<Row>> rows(static_cast<std::size_t>(domains_));
  std::vector<char> reached(static_cast<std::size_t>(exchange.ffn_ranks));
  for (int rail = 0; rail < gpus_per_domain_; ++rail) {
    for (int source = 0; source < sources_; ++source) {
      for (std::vector<Row>& domain : rows) domain.clear();
      const std::int64_t rank = std::int64_t{source} * gpus_per_domain_ + rail;
      for (int token = 0; token < exchange.tokens; ++token) {
        std::fill(reached.begin(), reached.end(), '\0');
        const std::int32_t* chosen =
            &table.experts[static_cast<std::size_t>((rank * table.tokens + token) * table.top_k)];
        for (int i = 0; i < table.top_k; ++i) {
          if (chosen[i] < 0) continue;
          const auto gpu = static_cast<std::size_t>(chosen[i] / per_gpu);
          reached[gpu] = 1;
          expert_rows_[gpu] += 1.0;
        }
        for (int domain = 0; domain < domains_; ++domain) {
          const auto begin = reached.begin() + domain * gpus_per_domain_;
          const auto copies = std::count(begin, begin + gpus_per_domain_, 1);
          if (copies == 0) continue;
          rows[static_cast<std::size_t>(domain)].push_back(
              {channel_of(rules, source, rail, token, channels), static_cast<float>(copies)});
        }
      }
      for (const std::vector<Row>& domain : rows) lanes_.push_back(lane_of(domain, channels));
    }
  }
}

Workload Workload::between_all_domains(int channels) const {
  Workload all = *this;
  all.lanes_.clear();
  all.domains_ = all.sources_ = domains_ + sources_;
  all.expert_rows_.resize(static_cast<std::size_t>(all.domains_ * gpus_per_domain_));
  Lane empty;
  empty.first.assign(static_cast<std::size_t>(channels) + 1, 0);
  const int rails = rails_alike_ ? 1 : gpus_per_domain_;
  for (int rail = 0; rail < rails; ++rail) {
    for (int from = 0; from < all.sources_; ++from) {
      for (int to = 0; to < all.domains_; ++to) {
        const bool has_rows = from >= domains_ && to < domains_;
        all.lanes_.push_back(has_rows ? lane(rail, from - domains_, to) : empty);
      }
    }
  }
  return all;
}

double Workload::expert_rows(int ffn_domain, int gpu) const {
  return expert_rows_[static_cast<std::size_t>(ffn_domain) *
                          static_cast<std::size_t>(gpus_per_domain_) +
                      static_cast<std::size_t>(gpu)];
}

}  // namespace fanin::model
