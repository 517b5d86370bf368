// The emulated NIC on a real GPU; skipped where there is none.
#include <gtest/gtest.h>

#include "fanin/kernels/availability.hpp"
#include "fanin/kernels/nic_load.hpp"

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
  traffic.operations = 12'800;
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

TEST_F(NicOnGpu, AWordGetsItsAddsInOrder) {
  NicTraffic traffic;
  traffic.tails_per_finish = 2;
  traffic.operations = 393'216;  // whole groups of a finish and its tails
  for (const char* const settings : {"free", "nic28"}) {
    const NicObservation seen = observe_nic(parse_nic_settings({settings}), traffic);
    EXPECT_EQ(seen.seen.back(), seen.signals);
    EXPECT_GT(seen.pairs, 1'000);
    EXPECT_EQ(seen.inversions, 0) << settings;
  }
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
  constexpr double kService = 100;
  const AlternatingArrivals arrivals(kService, 0.6, 80'000, 80'000, 1);
  NicTraffic traffic;
  traffic.words = 32;
  traffic.arrival_ns = arrivals.all();
  traffic.operations = static_cast<std::int64_t>(traffic.arrival_ns.size());
  const NicObservation seen = observe_nic(
      parse_nic_settings({"post_ns=5000", "wire_ns=5000", "serve_atomic_ns=100"}), traffic);
  EXPECT_NEAR(arrivals.response_ns(seen, kService), mean_response_ns(arrivals.poisson(), kService),
              0.1 * kService);
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
    traffic.operations = 245'760;
    const NicObservation seen = observe_nic(parse_nic_settings({"serve_atomic_ns=28"}), traffic);
    EXPECT_EQ(seen.receiver.responded, static_cast<std::uint64_t>(traffic.operations));
    EXPECT_EQ(seen.seen.back(), seen.signals);
    EXPECT_NEAR(held_ns(seen), 28, 0.02 * 28);
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
