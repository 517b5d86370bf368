// Every form of every fix through simulate, fixes and verify, and what they refuse.
#include <gtest/gtest.h>

#include <set>
#include <string>
#include <vector>

#include "fanin/model/fixes.hpp"
#include "temporary_folder.hpp"
#include "verb_checks.hpp"

namespace {

using fanin::model::Fix;

/// An exchange that has the fix.
std::string flags_of(const Fix& fix) {
  return fanin::model::fix_info(fix.number).scope == fanin::model::FixScope::symmetric
             ? " --preset deepep-v2 --sources 2 --tokens 1"
             : " --sources 2 --tokens 1";
}

std::vector<std::string> forms() {
  std::vector<std::string> all;
  for (const Fix& fix : fanin::model::single_fixes())
    all.push_back(fanin::model::fixes_to_string({fix}));
  return all;
}

TEST(FixVerbs, EveryFormGoesThroughSimulateFixesAndVerify) {
  for (const Fix& fix : fanin::model::single_fixes()) {
    const std::string text = fanin::model::fixes_to_string({fix});
    const auto simulated = json_of("simulate" + flags_of(fix) + " --fix " + text);
    EXPECT_GT(simulated["exchange_us"].get<double>(), 0.0) << text;
    const auto study = json_of("fixes" + flags_of(fix) + " --fix " + text);
    ASSERT_EQ(study["rows"].size(), 1U) << text;
    EXPECT_EQ(study["rows"][0]["fix"], text);
    EXPECT_NEAR(study["rows"][0]["exchange_us"].get<double>(),
                simulated["exchange_us"].get<double>(), 1e-9)
        << text;
    EXPECT_EQ(study["rows"][0]["safe"], true) << text;
    const auto verdict = json_of("verify --samples 100 --fix " + text);
    EXPECT_EQ(verdict["violations"], 0) << text;
    EXPECT_EQ(verdict["exhausted"], true) << text;
    EXPECT_GE(verdict["sampled_schedules"].get<int>(), 100) << text;
  }
}

TEST(FixVerbs, TableHasEveryFixOfTheRoleExchange) {
  const auto study = json_of("fixes --sources 3 --transport-sms 24 --tokens 1");
  std::set<std::string> listed;
  for (const auto& row : study["rows"]) {
    listed.insert(row["fix"].get<std::string>());
    EXPECT_LE(row["saving_ci95"][0], row["saving_ci95"][1]) << row["fix"];
    EXPECT_FALSE(row["needs"].get<std::string>().empty()) << row["fix"];
    EXPECT_FALSE(row["bound"].get<std::string>().empty()) << row["fix"];
    EXPECT_TRUE(row["safe"].get<bool>() && row["exhausted"].get<bool>()) << row["fix"];
    // Where the authors differ by more than a microsecond, why, and what would tell.
    const bool says_how = !row.contains("why") || !row["experiment"].get<std::string>().empty();
    EXPECT_TRUE(says_how) << row["fix"];
  }
  for (const auto& refused : study["refused"]) listed.insert(refused["fix"].get<std::string>());
  const std::vector<std::string> all = forms();
  EXPECT_EQ(listed, std::set<std::string>(all.begin(), all.end()));
  EXPECT_EQ(study["rows"][0]["authors_us"], 16.0);
  ASSERT_EQ(study["best"].size(), 1U);
  for (const auto& row : study["rows"])
    EXPECT_GE(study["best"][0]["saving_us"].get<double>(), row["saving_us"].get<double>() - 0.011);
}

TEST(FixVerbs, TableOfStockKernelsHasTheSilentDirections) {
  const auto study = json_of("fixes --preset deepep-v2 --sources 3 --tokens 1");
  std::set<std::string> listed;
  for (const auto& row : study["rows"]) listed.insert(row["fix"].get<std::string>());
  for (const char* fix :
       {"10", "11", "12", "13", "10+11+12+13", "1:at=exit", "7", "8:occupancy=bitmap"})
    EXPECT_EQ(listed.count(fix), 1U) << fix;
  EXPECT_EQ(listed.count("2"), 0U);
  ASSERT_EQ(study["refused"].size(), 1U);
  EXPECT_EQ(study["refused"][0]["fix"], "2");
  // The best combination leaves out what needs not be said.
  EXPECT_GT(study["best"][0]["saving_us"].get<double>(), 0.0);
  EXPECT_NE(study["best"][0]["fix"].get<std::string>().find("1"), std::string::npos);
}

TEST(FixVerbs, GridOfSourcesAndSms) {
  const auto study = json_of("fixes --sources 1,3 --transport-sms 16,24 --tokens 1 --fix 7");
  ASSERT_EQ(study["rows"].size(), 4U);
  EXPECT_EQ(study["rows"][3]["sources"], 3);
  EXPECT_EQ(study["rows"][3]["transport_sms"], 24);
}

TEST(FixVerbs, ExcludedPairsAreRefusedWithTheReason) {
  for (int number = 1; number <= fanin::model::kFixes; ++number) {
    for (const fanin::model::FixConflict& conflict : fanin::model::fix_info(number).conflicts) {
      if (conflict.other < number) continue;
      const std::string pair =
          " --fix " + std::to_string(number) + " " + std::to_string(conflict.other);
      const std::string reason(conflict.reason);
      const bool symmetric = conflict.other >= 10;
      const std::string preset = symmetric ? " --preset deepep-v2" : "";
      expect_refused("simulate --tokens 1" + preset + pair, reason);
      expect_refused("fixes --tokens 1" + preset + pair, reason);
      expect_refused("verify" + pair, reason);
    }
  }
}

TEST(FixVerbs, WhatDoesNotExistIsRefused) {
  for (const char* verb : {"simulate --tokens 1", "fixes --tokens 1", "verify"}) {
    const std::string with = std::string(verb) + " --fix ";
    expect_refused(with + "14", "numbers 1 to 13");
    expect_refused(with + "1:at=noon", "expected entry or exit");
    expect_refused(with + "4:stride=8", "has no option 'stride'");
    expect_refused(with + "4:k=-1", "expected a whole number from 0");
    expect_refused(with + "8:occupancy=maybe", "expected bitmap or count");
  }
  expect_refused("simulate --preset deepep-v2 --tokens 1 --fix 2", "expected protocol role");
  expect_refused("verify --protocol symmetric --fix 2", "expected protocol role");
  expect_refused("simulate --tokens 1 --fix 10", "expected protocol symmetric");
  expect_refused("verify --protocol role --fix 10", "expected protocol symmetric");
  expect_refused("verify --protocol role --wrong w1", "--protocol");
}

TEST(VerifyVerb, WritesTheScheduleAsATrace) {
  const TemporaryFolder folder;
  const std::string path = folder.path("w1.json");
  const auto verdict = json_of("verify --wrong w1 --samples 0 --trace " + path);
  EXPECT_EQ(verdict["expected"], "unsafe");
  const auto& steps = verdict["first_violation"]["steps"];
  const auto trace = nlohmann::json::parse(folder.read("w1.json"));
  std::size_t slices = 0;
  std::size_t marks = 0;
  for (const auto& event : trace["traceEvents"]) {
    slices += event["ph"] == "X" ? 1 : 0;
    marks += event["ph"] == "i" ? 1 : 0;
  }
  EXPECT_EQ(slices, steps.size());
  EXPECT_EQ(marks, 1U);
}

}  // namespace
