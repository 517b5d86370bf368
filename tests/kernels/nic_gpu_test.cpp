// The emulated NIC on a real GPU; skipped where there is none.
#include <gtest/gtest.h>

#include "fanin/kernels/availability.hpp"
#include "fanin/kernels/nic_bench.hpp"

namespace fanin::kernels {
namespace {

class NicOnGpu : public testing::Test {
 protected:
  void SetUp() override {
    const std::string reason = missing();
    if (!reason.empty()) GTEST_SKIP() << "skipped: no GPU (" << reason << ")";
  }
};

void expect_all_served(const NicObservation& seen, std::int64_t operations) {
  EXPECT_EQ(seen.sender.requested, static_cast<std::uint64_t>(operations));
  EXPECT_EQ(seen.receiver.responded, static_cast<std::uint64_t>(operations));
  ASSERT_FALSE(seen.seen.empty());
  EXPECT_EQ(seen.seen.back(), seen.signals);
}

TEST_F(NicOnGpu, ServesEveryPostOnce) {
  NicTraffic traffic;
  traffic.operations = 20'000;
  expect_all_served(observe_nic(parse_nic_settings({}), traffic), traffic.operations);
}

TEST_F(NicOnGpu, AFullRingStopsItsPosters) {
  NicTraffic traffic;
  traffic.producers = 64;
  traffic.operations = 64 * 200;
  traffic.words = 32;
  traffic.queues = 64;
  expect_all_served(
      observe_nic(parse_nic_settings({"serve_atomic_ns=100,ring_entries=128"}), traffic),
      traffic.operations);
}

TEST_F(NicOnGpu, RowsArriveAsSentBeforeTheirSignal) {
  NicTraffic traffic;
  traffic.rows_per_add = 3;
  traffic.operations = 4'000;
  const NicObservation seen = observe_nic(parse_nic_settings({"nic28"}), traffic);
  expect_all_served(seen, traffic.operations);
  EXPECT_EQ(seen.wrong_rows, 0);
}

TEST_F(NicOnGpu, HoldsItsService) {
  NicTraffic traffic;
  traffic.operations = 100'000;
  for (const int ns : {28, 100}) {
    const auto settings = parse_nic_settings({"serve_atomic_ns=" + std::to_string(ns)});
    EXPECT_NEAR(held_ns(observe_nic(settings, traffic)), ns, 0.02 * ns);
  }
}

TEST_F(NicOnGpu, HoldsItsServiceUnderPartialLoad) {
  // What the emulation itself takes is the same with and without load.
  const auto response = [](double load) {
    NicTraffic traffic;
    traffic.operations = 80'000;
    traffic.arrival_ns = poisson_arrivals(traffic.operations, 100 / load, 1);
    const auto settings =
        parse_nic_settings({"post_ns=5000", "wire_ns=5000", "serve_atomic_ns=100"});
    double arrivals = 0;
    for (const std::uint32_t ns : traffic.arrival_ns) arrivals += ns;
    return mean_completion_ns(observe_nic(settings, traffic)) -
           arrivals / static_cast<double>(traffic.operations) -
           mean_response_ns(traffic.arrival_ns, 100);
  };
  EXPECT_NEAR(response(0.6), response(0.05), 20);
}

TEST_F(NicOnGpu, WaitsForAcknowledgements) {
  NicTraffic traffic;
  traffic.operations = 20'000;
  for (const int outstanding : {1, 16, 64}) {
    const auto settings = parse_nic_settings(
        {"wire_ns=5000", "serve_atomic_ns=28", "outstanding=" + std::to_string(outstanding)});
    const NicObservation seen = observe_nic(settings, traffic);
    expect_all_served(seen, traffic.operations);
    const double round_trip = 5000 + 28 + 5000;
    EXPECT_NEAR(held_ns(seen), round_trip / outstanding, 0.02 * round_trip / outstanding);
  }
}

TEST_F(NicOnGpu, MergesWhatSeveralRequestersSend) {
  NicTraffic traffic;
  for (const int senders : {2, 3, 8}) {
    traffic.senders = senders;
    traffic.operations = 4800 * senders;
    const NicObservation seen = observe_nic(parse_nic_settings({"nic28"}), traffic);
    EXPECT_EQ(seen.receiver.responded, static_cast<std::uint64_t>(traffic.operations));
    EXPECT_EQ(seen.seen.back(), seen.signals);
  }
}

TEST_F(NicOnGpu, OtherSmsMoveRows) {
  NicTraffic traffic;
  traffic.rows_per_add = 3;
  traffic.operations = 4'000;
  traffic.row_bytes = 16'896;
  const NicObservation seen = observe_nic(parse_nic_settings({"mover_sms=3"}), traffic);
  expect_all_served(seen, traffic.operations);
  EXPECT_EQ(seen.wrong_rows, 0);
}

TEST_F(NicOnGpu, EveryMechanismServesEveryPost) {
  NicTraffic traffic;
  traffic.operations = 20'000;
  traffic.words = 32;
  traffic.queues = 128;
  for (const std::string& name : nic_setting_names()) {
    expect_all_served(observe_nic(parse_nic_settings({name}), traffic), traffic.operations);
  }
}

}  // namespace
}  // namespace fanin::kernels
