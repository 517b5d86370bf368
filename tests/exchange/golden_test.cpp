// Final time and event count of a few exchanges under the priors: any change of a step shows here.
#include <gtest/gtest.h>

#include "exchange_fixture.hpp"

namespace fanin::model {
namespace {

struct Golden {
  int sources;
  int sms;
  int tokens;
  std::int64_t picoseconds;
  std::uint64_t events;
};

TEST(Golden, TimeAndEventsUnderThePriors) {
  const Golden goldens[] = {{1, 24, 1, 81565113, 111},      {3, 24, 1, 105805459, 324},
                            {1, 48, 8, 109882080, 276},     {2, 8, 33, 103382302, 1442},
                            {3, 24, 512, 430567965, 19087}, {3, 48, 1, 148194180, 434}};
  for (const Golden& golden : goldens) {
    const SimulationResult result = simulate(hybrid(golden.sources, golden.sms, golden.tokens), {});
    EXPECT_EQ(result.exchange.count, golden.picoseconds)
        << golden.sources << " sources, " << golden.sms << " SMs, " << golden.tokens << " tokens";
    EXPECT_EQ(result.events, golden.events)
        << golden.sources << " sources, " << golden.sms << " SMs, " << golden.tokens << " tokens";
  }
}

}  // namespace
}  // namespace fanin::model
