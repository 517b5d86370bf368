#include <gtest/gtest.h>

#include "fanin/calibrate/calibration_next.hpp"
#include "fanin/hw/error.hpp"
#include "synthetic.hpp"

namespace fanin::calibrate {
namespace {

using synthetic::two_servers;

hw::Profile undecided() {
  hw::Profile profile = synthetic::machine();
  // The members agree at S = 2, where both servers take C · 80 ns, and part at S = 1 and S = 4.
  profile.ensemble = {
      {0.5, {{"nic.requester.fetch_add", 80.0}, {"nic.responder.fetch_add", 40.0}}},
      {0.5, {{"nic.requester.fetch_add", 20.0}, {"nic.responder.fetch_add", 40.0}}}};
  return profile;
}

std::vector<model::Exchange> candidates() {
  std::vector<model::Exchange> list;
  for (const int sources : {2, 1, 4}) {
    model::Exchange exchange;
    exchange.attention_ranks = 4 * sources;
    exchange.transport_sms = 24;
    list.push_back(exchange);
  }
  return list;
}

TEST(NextMeasurements, ChoosesWhereMembersDiffer) {
  const auto runs = next_measurements(undecided(), candidates(), two_servers, 3, 1.0, 2);
  ASSERT_EQ(runs.size(), 1U);  // the other two tell nothing
  EXPECT_EQ(runs[0].exchange.sources(), 1);
  EXPECT_GT(runs[0].gain, 0.9);
  ASSERT_EQ(runs[0].predicted_us.size(), 2U);
  EXPECT_GT(runs[0].predicted_us[0], runs[0].predicted_us[1]);
}

TEST(NextMeasurements, NeedsAnEnsemble) {
  EXPECT_THROW(next_measurements(synthetic::machine(), candidates(), two_servers, 1, 1.0, 1),
               InputError);
}

}  // namespace
}  // namespace fanin::calibrate
