#include <gtest/gtest.h>

#include "support.hpp"

namespace fanin::model::test {
namespace {

TEST(Direct, ProtocolDoesNotMatter) {
  for (const int tokens : {1, 32, 512}) {
    Exchange exchange = direct(2, tokens);
    const Picoseconds role = period(exchange);
    exchange.protocol = Protocol::symmetric;
    EXPECT_EQ(period(exchange), role);
  }
}

TEST(Direct, RowsCrossTheFfnNicOnceEachWay) {
  hw::Profile profile = silent();
  set(profile, "nic.line_rate", 50.0);
  const Exchange exchange = direct(1, 512);
  // Chance that a token has an expert on one of four FFN GPUs.
  double none = 1.0;
  for (int i = 0; i < 8; ++i) none *= (96.0 - i) / (128.0 - i);
  const double rows = 4 * 512 * (1.0 - none);
  EXPECT_NEAR(period(exchange, profile).us(), rows * (4224 + 4160) * 1e-3 / 50.0, 1e-2);
}

TEST(Direct, SignalsGrowWithTheWorld) {
  hw::Profile profile = silent();
  set(profile, "direct.signal", 0.5);
  EXPECT_NEAR(period(direct(1, 1), profile).us(), 2 * 0.5 * 8, 1e-3);
  EXPECT_NEAR(period(direct(2, 1), profile).us(), 2 * 0.5 * 12, 1e-3);
}

TEST(Direct, BothModesGiveTheSameTimes) {
  for (const int tokens : {1, 37, 512}) {
    SimulationOptions stepwise;
    stepwise.reference = true;
    EXPECT_EQ(simulate(direct(3, tokens), {}, {}).exchange,
              simulate(direct(3, tokens), {}, stepwise).exchange);
  }
}

TEST(Direct, CriticalPathSumsToTheExchange) {
  const SimulationResult result = simulate(direct(2, 128), {}, {});
  Picoseconds sum;
  for (const CriticalShare& share : result.critical_path) sum += share.time;
  EXPECT_EQ(sum, result.exchange);
}

}  // namespace
}  // namespace fanin::model::test
