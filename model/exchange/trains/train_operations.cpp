#include "train_operations.hpp"

#include <cmath>

#include "train_load.hpp"

namespace fanin::model {
namespace {

constexpr const char* kPorts[][2] = {{"ffn.", ".inbound.dispatch"},
                                     {"ffn.", ".outbound.combine"},
                                     {"attention.", ".outbound.dispatch"},
                                     {"attention.", ".inbound.combine"}};

}  // namespace

TrainCountRules nvlink_count_rules(const Exchange& exchange) {
  const bool one = exchange.exit == ExitMode::grid_sync;
  return {"nvlink",
          "barrier_signal",
          exchange.experts / exchange.ffn_ranks,
          one ? 1 : exchange.transport_sms,
          one ? 1 : exchange.ffn_combine_sms_used(),
          exchange.protocol == Protocol::symmetric};
}

TrainCountRules direct_count_rules() { return {"nic", "fetch_add", 0, 0, 0, true}; }

std::int64_t whole_rows(double rows) { return std::llround(rows); }

void TrainLedger::count(int round, Port port, Kind kind, std::int64_t operations) {
  const auto index = static_cast<std::size_t>(round);
  if (index >= rounds_.size()) rounds_.resize(index + 1);
  rounds_[index].counts[static_cast<std::size_t>(port)][static_cast<std::size_t>(kind)] +=
      operations;
}

OperationCounts TrainLedger::of_round(int round) const {
  OperationCounts counts;
  if (static_cast<std::size_t>(round) >= rounds_.size()) return counts;
  const char* kinds[] = {"row_write", "count_add", "arrival", rules_.peer_signal};
  for (std::size_t port = 0; port < 4; ++port) {
    for (std::size_t kind = 0; kind < 4; ++kind) {
      const std::int64_t count = rounds_[static_cast<std::size_t>(round)].counts[port][kind];
      if (count == 0) continue;
      counts[std::string(kPorts[port][0]) + rules_.link + kPorts[port][1]][kinds[kind]] = count;
    }
  }
  return counts;
}

OperationCounts train_operation_counts(const Exchange& exchange) {
  using Port = TrainLedger::Port;
  using Kind = TrainLedger::Kind;
  const TrainLoad load(exchange);
  const std::int64_t attention = exchange.attention_ranks;
  const std::int64_t ffn = exchange.ffn_ranks;
  const TrainCountRules rules =
      exchange.path == Path::direct ? direct_count_rules() : nvlink_count_rules(exchange);
  std::int64_t ffn_rows = 0;
  for (int a = 0; a < exchange.attention_ranks; ++a) ffn_rows += whole_rows(load.rows(a, 0));
  std::int64_t attention_rows = 0;
  for (int f = 0; f < exchange.ffn_ranks; ++f) attention_rows += whole_rows(load.rows(0, f));
  TrainLedger ledger(rules);
  const auto enter = [&](Port port, std::int64_t rows, std::int64_t arrivals) {
    ledger.count(0, port, Kind::row, rows);
    ledger.count(0, port, Kind::arrival, arrivals);
    if (rules.peers_signal) ledger.count(0, port, Kind::peer_signal, attention + ffn - 1);
  };
  enter(Port::ffn_in_dispatch, ffn_rows, attention * rules.dispatch_arrivals);
  enter(Port::attention_out_dispatch, attention_rows, ffn * rules.dispatch_arrivals);
  enter(Port::ffn_out_combine, ffn_rows, attention * rules.combine_arrivals);
  enter(Port::attention_in_combine, attention_rows, ffn * rules.combine_arrivals);
  ledger.count(0, Port::ffn_in_dispatch, Kind::count_add, attention * rules.count_adds);
  ledger.count(0, Port::attention_out_dispatch, Kind::count_add, ffn * rules.count_adds);
  return ledger.of_round(0);
}

}  // namespace fanin::model
