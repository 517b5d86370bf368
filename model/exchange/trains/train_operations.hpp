// What the first FFN GPU and the first Attention GPU send and take in an exchange whose rows travel
// as trains: the rules that the closed form and the simulator's counters share, and the counters.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "fanin/model/exchange.hpp"
#include "fanin/model/operations.hpp"

namespace fanin::model {

struct TrainCountRules {
  const char* link;                ///< "nvlink" or "nic"
  const char* peer_signal;         ///< name of the signals between all GPUs
  std::int64_t count_adds;         ///< an Attention GPU's for one FFN GPU
  std::int64_t dispatch_arrivals;  ///< that a sender adds on one receiver
  std::int64_t combine_arrivals;
  bool peers_signal;  ///< every GPU signals every other one in each phase
};
TrainCountRules nvlink_count_rules(const Exchange& exchange);
TrainCountRules direct_count_rules();

/// Rows between two GPUs as a whole number: a table's own, or the expected value rounded.
std::int64_t whole_rows(double rows);

/// Counts of each exchange of a run, by port.
class TrainLedger {
 public:
  enum class Port : std::uint8_t {
    ffn_in_dispatch,
    ffn_out_combine,
    attention_out_dispatch,
    attention_in_combine
  };
  enum class Kind : std::uint8_t { row, count_add, arrival, peer_signal };

  explicit TrainLedger(const TrainCountRules& rules) : rules_(rules) {}
  void count(int round, Port port, Kind kind, std::int64_t operations);
  OperationCounts of_round(int round) const;

 private:
  struct Table {
    std::int64_t counts[4][4] = {};
  };
  TrainCountRules rules_;
  std::vector<Table> rounds_;
};

}  // namespace fanin::model
