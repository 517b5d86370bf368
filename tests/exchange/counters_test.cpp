// Counters of the simulator, the model's closed forms, and sums taken here from a routing table
// alone: all three equal, for every protocol, path and variant.
#include <gtest/gtest.h>

#include <functional>
#include <memory>
#include <string>
#include <vector>

#include "exchange_fixture.hpp"
#include "fanin/model/operations.hpp"

namespace fanin::model {
namespace {

/// Tokens with distinct experts, none for the ranks of `silent`; every fifth token of the others
/// goes nowhere.
std::shared_ptr<const RoutingTable> table_of(const Exchange& exchange, int silent) {
  auto table = std::make_shared<RoutingTable>();
  table->top_k = exchange.top_k;
  table->tokens = exchange.tokens;
  table->attention_ranks = exchange.attention_ranks;
  std::uint32_t state = 4711;
  const int per_source = exchange.path == Path::nvlink ? 1 : exchange.gpus_per_domain;
  for (int rank = 0; rank < exchange.attention_ranks; ++rank) {
    for (int token = 0; token < exchange.tokens; ++token) {
      state = state * 1664525U + 1013904223U;
      const int first = static_cast<int>(state >> 8) % exchange.experts;
      const bool none = rank / per_source == silent || token % 5 == 4;
      for (int i = 0; i < exchange.top_k; ++i)
        table->experts.push_back(none ? -1 : (first + i * 29) % exchange.experts);
    }
  }
  return table;
}

/// Counts from the table, by the protocol's sums.
class Expected {
 public:
  explicit Expected(const Exchange& exchange) : e_(exchange) {}

  OperationCounts counts() {
    if (e_.path != Path::hybrid) {
      trains();
    } else if (e_.protocol == Protocol::role) {
      role();
    } else {
      symmetric();
    }
    return counts_;
  }

 private:
  bool reaches(int rank, int token, int first_gpu, int gpus) const {
    const int per_gpu = e_.experts / e_.ffn_ranks;
    for (int i = 0; i < e_.top_k; ++i) {
      const std::int32_t expert =
          e_.routing->experts[static_cast<std::size_t>((rank * e_.tokens + token) * e_.top_k + i)];
      if (expert >= first_gpu * per_gpu && expert < (first_gpu + gpus) * per_gpu) return true;
    }
    return false;
  }
  /// Rows of one Attention GPU for some FFN GPUs on one channel of `channels`.
  std::int64_t rows(int rank, int first_gpu, int gpus, int channel, int channels) const {
    std::int64_t sum = 0;
    for (int t = channel; t < e_.tokens; t += channels)
      sum += reaches(rank, t, first_gpu, gpus) ? 1 : 0;
    return sum;
  }
  void add(const std::string& resource, const std::string& verb, std::int64_t count) {
    if (count != 0) counts_[resource][verb] += count;
  }

  int channels() const { return e_.channels_per_sm * e_.transport_sms; }
  int combine_channels() const { return e_.channels_per_sm * e_.ffn_combine_sms_used(); }

  /// Rail 0 of source `s` (< 0: sends nothing) to FFN domain `d`.
  void dispatch(const std::string& resource, int s, int d, std::int64_t more) {
    const int u = e_.gpus_per_domain;
    for (int c = 0; c < channels(); ++c) {
      const std::int64_t n = s < 0 ? 0 : rows(s * u, d * u, u, c, channels());
      add(resource, "fetch_add", n / e_.tail_interval + 1);
      add(resource, "row_write", n);
    }
    add(resource, "fetch_add", more);
    add(resource, "count_write", 2);
  }
  void combine(const std::string& resource, int s, int d, std::int64_t more) {
    const int u = e_.gpus_per_domain;
    add(resource, "fetch_add", combine_channels() + more);
    for (int c = 0; s >= 0 && c < combine_channels(); ++c)
      add(resource, "row_write", rows(s * u, d * u, u, c, combine_channels()));
  }

  void role() {
    for (int s = 0; s < e_.sources(); ++s) {
      dispatch("ffn.nic.inbound.dispatch", s, 0, 0);
      combine("ffn.nic.outbound.combine", s, 0, 0);
    }
    for (int d = 0; d < e_.ffn_domains(); ++d) {
      dispatch("attention.nic.outbound.dispatch", 0, d, 0);
      combine("attention.nic.inbound.combine", 0, d, 0);
    }
  }

  /// Every pair of domains exchanges finishes and a barrier's signal, each way in each phase.
  void symmetric() {
    const int ffn = e_.ffn_domains();
    const int all = ffn + e_.sources();
    for (int peer = 0; peer < all; ++peer) {
      const int source = peer >= ffn ? peer - ffn : -1;
      if (peer != 0) {
        dispatch("ffn.nic.inbound.dispatch", source, 0, 1);
        dispatch("ffn.nic.outbound.dispatch", -1, 0, 1);
        combine("ffn.nic.outbound.combine", source, 0, 1);
        combine("ffn.nic.inbound.combine", -1, 0, 1);
      }
      if (peer != ffn) {
        const bool has_rows = peer < ffn;
        dispatch("attention.nic.outbound.dispatch", has_rows ? 0 : -1, has_rows ? peer : 0, 1);
        dispatch("attention.nic.inbound.dispatch", -1, 0, 1);
        combine("attention.nic.inbound.combine", has_rows ? 0 : -1, has_rows ? peer : 0, 1);
        combine("attention.nic.outbound.combine", -1, 0, 1);
      }
    }
  }

  void trains() {
    const bool direct = e_.path == Path::direct;
    const std::string link = direct ? "nic" : "nvlink";
    const bool one = e_.exit == ExitMode::grid_sync;
    const bool barrier = direct || e_.protocol == Protocol::symmetric;
    const auto port = [&](const std::string& name, std::int64_t rows, int peers, int sms) {
      add(name, "row_write", rows);
      if (!direct) add(name, "arrival", std::int64_t{peers} * (one ? 1 : sms));
      if (barrier)
        add(name, direct ? "fetch_add" : "barrier_signal", e_.ffn_ranks + e_.attention_ranks - 1);
    };
    std::int64_t in = 0;
    for (int a = 0; a < e_.attention_ranks; ++a) in += rows(a, 0, 1, 0, 1);
    std::int64_t out = 0;
    for (int f = 0; f < e_.ffn_ranks; ++f) out += rows(0, f, 1, 0, 1);
    port("ffn." + link + ".inbound.dispatch", in, e_.attention_ranks, e_.transport_sms);
    port("ffn." + link + ".outbound.combine", in, e_.attention_ranks, e_.ffn_combine_sms_used());
    port("attention." + link + ".outbound.dispatch", out, e_.ffn_ranks, e_.transport_sms);
    port("attention." + link + ".inbound.combine", out, e_.ffn_ranks, e_.ffn_combine_sms_used());
    if (direct) return;
    add("ffn.nvlink.inbound.dispatch", "count_add",
        std::int64_t{e_.attention_ranks} * e_.experts / e_.ffn_ranks);
    add("attention.nvlink.outbound.dispatch", "count_add", e_.experts);
  }

  Exchange e_;
  OperationCounts counts_;
};

void expect_counts(const Exchange& exchange, const std::string& what) {
  const OperationCounts closed = operation_counts(exchange);
  EXPECT_EQ(simulate(exchange, {}).operations, closed) << what;
  if (exchange.routing) {
    EXPECT_EQ(closed, Expected(exchange).counts()) << what;
  }
}

struct Shape {
  Path path;
  int ffn_ranks;
  int attention_ranks;
  int gpus_per_domain;
};
const Shape kShapes[] = {
    {Path::nvlink, 1, 3, 4}, {Path::nvlink, 2, 2, 4}, {Path::nvlink, 3, 1, 4},
    {Path::hybrid, 1, 1, 1}, {Path::hybrid, 2, 6, 2}, {Path::hybrid, 8, 8, 4},
    {Path::direct, 4, 4, 4}, {Path::direct, 2, 6, 2},
};

Exchange shaped(const Shape& shape, Protocol protocol, int tokens) {
  Exchange exchange;
  exchange.path = shape.path;
  exchange.protocol = protocol;
  exchange.ffn_ranks = shape.ffn_ranks;
  exchange.attention_ranks = shape.attention_ranks;
  exchange.gpus_per_domain = shape.gpus_per_domain;
  exchange.experts = 96;
  exchange.tokens = tokens;
  exchange.transport_sms = 3;
  return exchange;
}

std::string name_of(const Exchange& e) {
  return std::string(to_string(e.path)) + ' ' + std::string(to_string(e.protocol)) + ' ' +
         std::string(to_string(e.variant)) + ' ' + std::string(to_string(e.exit)) + ' ' +
         std::to_string(e.attention_ranks) + "A" + std::to_string(e.ffn_ranks) +
         "F T=" + std::to_string(e.tokens) + (e.routing ? " table" : "");
}

TEST(Counters, EveryProtocolAndPathWithAnyTokens) {
  for (const Shape& shape : kShapes) {
    for (const Protocol protocol : {Protocol::role, Protocol::symmetric}) {
      for (const int tokens : {0, 1, 5, 60}) {
        Exchange exchange = shaped(shape, protocol, tokens);
        expect_counts(exchange, name_of(exchange));
        for (const int silent : {-1, 0}) {
          exchange.routing = table_of(exchange, silent);
          expect_counts(exchange, name_of(exchange) + " silent " + std::to_string(silent));
        }
      }
    }
  }
}

TEST(Counters, EveryVariantWithItsOwnSms) {
  struct Change {
    const char* name;
    std::function<void(Exchange&)> apply;
  };
  const Change changes[] = {
      {"combine SMs", [](Exchange& e) { e.combine_sms = 5; }},
      {"FFN combine SMs", [](Exchange& e) { e.ffn_combine_sms = 7; }},
      {"both", [](Exchange& e) { e.combine_sms = 2, e.ffn_combine_sms = 6; }},
      {"grid sync", [](Exchange& e) { e.exit = ExitMode::grid_sync; }},
      {"collect view", [](Exchange& e) { e.collect_view = true; }},
      {"FFN combine grid", [](Exchange& e) { e.variant = Variant::ffn_combine_grid; }},
      {"combine grid", [](Exchange& e) { e.variant = Variant::combine_grid_all_ranks; }},
      {"bound", [](Exchange& e) { e.variant = Variant::expand_overlaps_ingress_bound; }},
      {"late payload", [](Exchange& e) { e.payload_start_delay_us = 3.0; }},
      {"GEMMs", [](Exchange& e) { e.gemm_solo_us = 25.0; }},
      {"channels", [](Exchange& e) { e.channels_per_sm = 5; }},
      {"interval", [](Exchange& e) { e.tail_interval = 1; }},
      {"few queues", [](Exchange& e) { e.queues = 2, e.queue_depth = 3, e.outstanding = 1; }},
      {"flush", [](Exchange& e) { e.combine_flush = e.path == Path::hybrid; }},
      {"FP8", [](Exchange& e) { e.payload = Payload::fp8; }},
  };
  for (const Shape& shape : kShapes) {
    for (const Protocol protocol : {Protocol::role, Protocol::symmetric}) {
      for (const Change& change : changes) {
        Exchange exchange = shaped(shape, protocol, 33);
        change.apply(exchange);
        ASSERT_EQ(exchange.validate(), std::vector<std::string>{}) << change.name;
        expect_counts(exchange, name_of(exchange) + ' ' + change.name);
        exchange.routing = table_of(exchange, 0);
        expect_counts(exchange, name_of(exchange) + ' ' + change.name);
      }
    }
  }
}

}  // namespace
}  // namespace fanin::model
