// Each registered parameter that the simulator is said to read changes some prediction; no other
// one changes any.
#include <gtest/gtest.h>

#include <algorithm>
#include <vector>

#include "exchange_fixture.hpp"

namespace fanin::model {
namespace {

/// Both protocols on every path, with what brings in further parameters.
std::vector<Exchange> varied_exchanges() {
  std::vector<Exchange> all;
  for (const int tokens : {1, 33}) {
    for (const Path path : {Path::hybrid, Path::direct, Path::nvlink}) {
      for (const Protocol protocol : {Protocol::role, Protocol::symmetric}) {
        Exchange plain = hybrid(3, 8, tokens);
        plain.path = path;
        plain.protocol = protocol;
        if (path == Path::nvlink) plain.attention_ranks = 4;
        all.push_back(plain);
        all.push_back(plain);
        all.back().exit = ExitMode::grid_sync;
        all.push_back(plain);
        all.back().gemm_solo_us = 25.0;
        all.push_back(plain);
        all.back().collect_view = true;
        all.push_back(plain);
        all.back().combine_flush = true;
      }
    }
  }
  for (const int fix : {1, 2, 3, 4, 5, 6, 7, 8, 9}) {
    all.push_back(hybrid(3, 24, 1));
    all.back().fixes.push_back({fix, {}});
  }
  all.push_back(hybrid(3, 24, 0));  // every finish is inline
  all.back().fixes.push_back({9, {}});
  for (const int ffn_ranks : {1, 2}) {  // rows take longer than counting
    all.push_back(hybrid(2, 8, 512));
    all.back().path = Path::nvlink;
    all.back().ffn_ranks = ffn_ranks;
  }
  Exchange placed = hybrid(3, 8, 128);
  placed.attention_ranks = 3;
  placed.ffn_ranks = placed.gpus_per_domain = 1;
  placed.one_gpu = true;
  placed.attention_sms = 12;
  placed.copy_ctas = placed.reduce_ctas = 20;
  all.push_back(placed);
  all.push_back(placed);
  all.back().tokens = 2048;
  std::erase_if(all, [](const Exchange& exchange) { return !exchange.validate().empty(); });
  return all;
}

/// Every cost has its share in a prediction: counts end with the rows, not later for themselves.
hw::Profile busy_profile() {
  hw::Profile profile;
  for (const hw::ParameterSpec& spec : hw::parameter_registry()) {
    if (spec.name == "domain.count_token") set(profile, spec.name, 0.01 * spec.prior);
    if (spec.name == "domain.count_lag") set(profile, spec.name, spec.high);
    if (spec.prior > 0.0) continue;
    if (spec.unit == "us") set(profile, spec.name, std::clamp(0.4, spec.low, spec.high));
    if (spec.unit == "ns") set(profile, spec.name, std::clamp(40.0, spec.low, spec.high));
    if (spec.unit == "GB/s") set(profile, spec.name, std::clamp(30.0, spec.low, spec.high));
  }
  return profile;
}

/// Times of the exchange and of the GEMMs beside it.
std::vector<Picoseconds> predicted(const Exchange& exchange, const hw::Profile& profile) {
  const SimulationResult result = simulate(exchange, profile);
  std::vector<Picoseconds> times = {result.exchange};
  if (result.gemm) times.insert(times.end(), {result.gemm->attention, result.gemm->ffn});
  return times;
}

/// A profile, and what it predicts for each of the exchanges.
struct Base {
  hw::Profile profile;
  std::vector<std::vector<Picoseconds>> predictions;
};

bool changes_a_prediction(const hw::ParameterSpec& spec, const std::vector<Exchange>& exchanges,
                          const std::vector<Base>& bases) {
  for (const Base& base : bases) {
    const double value = base.profile.value(spec.name);
    for (const double other : {3.0 * value + 1.0, 0.3 * value, spec.low, spec.high}) {
      const double within = std::clamp(other, spec.low, spec.high);
      if (within == value) continue;
      hw::Profile changed = base.profile;
      set(changed, spec.name, within);
      for (std::size_t i = 0; i < exchanges.size(); ++i) {
        if (predicted(exchanges[i], changed) != base.predictions[i]) return true;
      }
    }
  }
  return false;
}

TEST(Parameters, AreReadWhereTheRegistrySaysSo) {
  const std::vector<Exchange> exchanges = varied_exchanges();
  ASSERT_GT(exchanges.size(), 40u);
  std::vector<Base> bases = {{hw::Profile(), {}}, {busy_profile(), {}}};
  for (Base& base : bases) {
    for (const Exchange& exchange : exchanges)
      base.predictions.push_back(predicted(exchange, base.profile));
  }
  for (const hw::ParameterSpec& spec : hw::parameter_registry()) {
    if (spec.name == "trace.overhead") continue;  // read where traces are compared
    EXPECT_EQ(changes_a_prediction(spec, exchanges, bases), spec.simulated) << spec.name;
  }
}

}  // namespace
}  // namespace fanin::model
