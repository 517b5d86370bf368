#include "fanin/model/operations.hpp"

#include "ledger.hpp"
#include "workload.hpp"

namespace fanin::model {

std::string resource_name(NicSide side, Phase phase) {
  const std::string_view nic = side == NicSide::ffn_inbound         ? "ffn.nic.inbound"
                               : side == NicSide::ffn_outbound      ? "ffn.nic.outbound"
                               : side == NicSide::attention_inbound ? "attention.nic.inbound"
                                                                    : "attention.nic.outbound";
  return std::string(nic) + (phase == Phase::dispatch ? ".dispatch" : ".combine");
}

std::string_view to_string(Verb verb) {
  switch (verb) {
    case Verb::fetch_add: return "fetch_add";
    case Verb::row_write: return "row_write";
    case Verb::count_write: return "count_write";
    case Verb::inline_write: return "inline_write";
  }
  return "";
}

OperationCounts Ledger::of_round(int round) const {
  OperationCounts counts;
  if (static_cast<std::size_t>(round) >= rounds_.size()) return counts;
  const Table& table = rounds_[static_cast<std::size_t>(round)];
  for (std::size_t side = 0; side < kNicSides; ++side) {
    for (std::size_t phase = 0; phase < kPhases; ++phase) {
      for (std::size_t verb = 0; verb < kVerbs; ++verb) {
        const std::int64_t count = table[side][phase][verb];
        if (count == 0) continue;
        counts[resource_name(static_cast<NicSide>(side), static_cast<Phase>(phase))]
              [std::string(to_string(static_cast<Verb>(verb)))] = count;
      }
    }
  }
  return counts;
}

namespace {

/// Adds to `counts` only what is not zero.
void add(OperationCounts& counts, NicSide side, Phase phase, Verb verb, std::int64_t count) {
  if (count != 0) counts[resource_name(side, phase)][std::string(to_string(verb))] += count;
}

struct Totals {
  std::int64_t fetch_adds = 0;
  std::int64_t inline_writes = 0;
  std::int64_t rows = 0;
};

/// Of one direction between two domains; `silent`: it never signals that a list was empty.
Totals dispatch_totals(const Rules& rules, const Lane& lane, int channels, bool silent = false) {
  Totals totals;
  for (int c = 0; c < channels; ++c) {
    const int rows = lane.rows(c);
    totals.rows += rows;
    totals.fetch_adds += rows / rules.exchange.tail_interval;
    if (rows > 0) {
      const bool flag = !rules.counts_end_lists || rows % rules.exchange.tail_interval != 0;
      totals.fetch_adds += flag ? 1 : 0;
    } else if (!rules.counts_say_occupancy && !silent) {
      ++(rules.inline_empty_finishes ? totals.inline_writes : totals.fetch_adds);
    }
  }
  return totals;
}

Totals combine_totals(const Rules& rules, const Lane& lane, int channels, bool silent = false) {
  Totals totals;
  totals.fetch_adds = rules.designated_release && !silent ? 1 : 0;
  for (int c = 0; c < channels; ++c) {
    const int rows = lane.rows(c);
    totals.rows += rows;
    if (rows > 0) {
      ++totals.fetch_adds;
    } else if (rules.empty_combine_finish != Rules::EmptyCombineFinish::never && !silent) {
      ++(rules.inline_empty_finishes ? totals.inline_writes : totals.fetch_adds);
    }
  }
  return totals;
}

void add(OperationCounts& counts, NicSide side, Phase phase, const Totals& totals) {
  add(counts, side, phase, Verb::fetch_add, totals.fetch_adds);
  add(counts, side, phase, Verb::inline_write, totals.inline_writes);
  add(counts, side, phase, Verb::row_write, totals.rows);
}

}  // namespace

OperationCounts operation_counts(const Exchange& exchange) {
  if (exchange.path != Path::hybrid) return train_operation_counts(exchange);
  if (exchange.protocol == Protocol::symmetric) return symmetric_operation_counts(exchange);
  const Rules rules = rules_of(exchange);
  const int dispatch_channels = rules.exchange.channels();
  const int combine_channels =
      rules.exchange.channels_per_sm * rules.exchange.ffn_combine_sms_used();
  const Workload dispatch(rules, dispatch_channels);
  const Workload combine(rules, combine_channels);
  OperationCounts counts;
  const auto enter = [&](NicSide dispatch_side, NicSide combine_side, int source, int domain) {
    add(counts, dispatch_side, Phase::dispatch,
        dispatch_totals(rules, dispatch.lane(0, source, domain), dispatch_channels));
    add(counts, dispatch_side, Phase::dispatch, Verb::count_write, 2);
    add(counts, combine_side, Phase::combine,
        combine_totals(rules, combine.lane(0, source, domain), combine_channels));
  };
  for (int s = 0; s < rules.exchange.sources(); ++s)
    enter(NicSide::ffn_inbound, NicSide::ffn_outbound, s, 0);
  for (int d = 0; d < rules.exchange.ffn_domains(); ++d) {
    enter(NicSide::attention_outbound, NicSide::attention_inbound, 0, d);
  }
  return counts;
}

OperationCounts symmetric_operation_counts(const Exchange& exchange) {
  const Rules rules = rules_of(exchange);
  const int dispatch_channels = rules.exchange.channels();
  const int combine_channels =
      rules.exchange.channels_per_sm * rules.exchange.ffn_combine_sms_used();
  const int ffn_domains = rules.exchange.ffn_domains();
  const int domains = ffn_domains + rules.exchange.sources();
  const Workload dispatch =
      Workload(rules, dispatch_channels).between_all_domains(dispatch_channels);
  const Workload combine = Workload(rules, combine_channels).between_all_domains(combine_channels);
  OperationCounts counts;
  const auto enter = [&](NicSide outbound, NicSide inbound, int domain) {
    for (int peer = 0; peer < domains; ++peer) {
      if (peer == domain) continue;
      const auto dispatched = [&](NicSide side, int from, int to) {
        const bool silent = rules.silent(Phase::dispatch, from < ffn_domains, to < ffn_domains);
        add(counts, side, Phase::dispatch,
            dispatch_totals(rules, dispatch.lane(0, from, to), dispatch_channels, silent));
        add(counts, side, Phase::dispatch, Verb::fetch_add, 1);
        add(counts, side, Phase::dispatch, Verb::count_write, 2);
      };
      // Combine goes back: rows of (source, destination) travel from destination to source.
      const auto combined = [&](NicSide side, int from, int to) {
        const bool silent = rules.silent(Phase::combine, from < ffn_domains, to < ffn_domains);
        add(counts, side, Phase::combine,
            combine_totals(rules, combine.lane(0, to, from), combine_channels, silent));
        add(counts, side, Phase::combine, Verb::fetch_add, 1);
      };
      dispatched(outbound, domain, peer);
      dispatched(inbound, peer, domain);
      combined(outbound, domain, peer);
      combined(inbound, peer, domain);
    }
  };
  enter(NicSide::ffn_outbound, NicSide::ffn_inbound, 0);
  enter(NicSide::attention_outbound, NicSide::attention_inbound, ffn_domains);
  return counts;
}

}  // namespace fanin::model
