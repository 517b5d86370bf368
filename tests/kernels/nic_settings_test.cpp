#include "fanin/kernels/nic_settings.hpp"

#include <gtest/gtest.h>

#include "fanin/kernels/config_error.hpp"

namespace fanin::kernels {
namespace {

TEST(NicSettings, NothingMeansFree) {
  const NicSettings settings = parse_nic_settings({});
  EXPECT_EQ(settings.name(), "free");
  EXPECT_EQ(settings.serve_atomic_ns, 0);
  EXPECT_EQ(settings.ring_entries, 4096);
}

TEST(NicSettings, NamedSettings) {
  const NicSettings nic28 = parse_nic_settings({"nic28"});
  EXPECT_EQ(nic28.send_atomic_ns, 28);
  EXPECT_EQ(nic28.serve_atomic_ns, 28);
  EXPECT_EQ(nic28.serve_write_ns, 28);
  EXPECT_EQ(nic28.serve_gbps, 50);
  EXPECT_EQ(nic28.name(), "nic28");
  for (const std::string& name : nic_setting_names()) {
    EXPECT_EQ(parse_nic_settings({name}).name(), name);
  }
}

TEST(NicSettings, LaterWordsWinAndShowInTheName) {
  const NicSettings settings =
      parse_nic_settings({"nic28,wire_ns=1500", "serve_atomic_ns=40.5", "wire_ns=1600"});
  EXPECT_EQ(settings.serve_atomic_ns, 40.5);
  EXPECT_EQ(settings.wire_ns, 1600);
  EXPECT_EQ(settings.name(), "nic28-wire_ns1600-serve_atomic_ns40.5");
}

TEST(NicSettings, ANameReplacesWhatCameBefore) {
  EXPECT_EQ(parse_nic_settings({"wire_ns=1500", "nic28"}).name(), "nic28");
}

void expect_refused(const std::string& word, const std::string& part) {
  try {
    parse_nic_settings({word});
    ADD_FAILURE() << word << " was accepted";
  } catch (const ConfigError& error) {
    EXPECT_NE(std::string(error.what()).find(part), std::string::npos) << error.what();
  }
}

TEST(NicSettings, BadInputIsNamed) {
  expect_refused("nic82", "one of free, nic28");
  expect_refused("serve_atomic=3", "serve_atomic_ns");
  expect_refused("serve_atomic_ns=", "no number");
  expect_refused("serve_atomic_ns=3x", "'3x'");
  expect_refused("serve_atomic_ns=-1", "out of range");
  expect_refused("serve_atomic_ns=nan", "out of range");
  expect_refused("serve_atomic_ns=1e9", "100000");
  expect_refused("lock_slots=2.5", "whole number");
  expect_refused("lock_slots=513", "512");
  expect_refused("ring_entries=1000", "power of two");
  expect_refused("outstanding=1025", "1024");
  expect_refused("mover_sms=8", "0 to 7");
  expect_refused("nics_per_sm=3", "0 to 2");
  expect_refused("nics_per_sm=0", "1 or 2");
}

}  // namespace
}  // namespace fanin::kernels
