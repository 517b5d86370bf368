#include "verb_checks.hpp"

namespace {

using nlohmann::json;

TEST(CheckVerb, LawFittedOnPartOfTheRows) {
  const json check = json_of("check --law competing_resources --draws 100 --where " + kOneToken +
                             " --fit-where 'set=cross_node_sm_sweep_s1_s2,tokens=1'");
  EXPECT_EQ(check.at("n"), 14);
  EXPECT_LE(check.at("max_abs_pct").get<double>(), 2.45);
  EXPECT_EQ(check.at("by_set").size(), 2U);
  double worst = 0.0;
  for (const json& row : check.at("rows")) {
    const bool held_out = row.at("set") == "cross_node_sm_sweep_s3";
    EXPECT_EQ(row.at("fitted").get<bool>(), !held_out);
    EXPECT_EQ(row.at("extrapolated").get<bool>(), held_out);
    const double error =
        100.0 * (row.at("predicted_us").get<double>() / row.at("measured_us").get<double>() - 1.0);
    EXPECT_NEAR(row.at("error_pct").get<double>(), error, 1e-9);
    worst = std::max(worst, std::abs(error));
  }
  EXPECT_NEAR(check.at("max_abs_pct").get<double>(), worst, 1e-9);
}

TEST(CheckVerb, OnlyHeldOutAndFailAbove) {
  const std::string arguments =
      "check --law competing_resources --draws 100 --where " + kOneToken +
      " --fit-where 'set=cross_node_sm_sweep_s1_s2,tokens=1' --only held-out";
  EXPECT_EQ(json_of(arguments).at("n"), 4);
  EXPECT_EQ(json_of(arguments + " --fail-above 2.45").at("n"), 4);
  EXPECT_EQ(json_of(arguments + " --fail-above 2.3", 1).at("n"), 4);
}

TEST(CheckVerb, ProfilesByCluster) {
  const json check = json_of("check");
  EXPECT_EQ(
      check.at("rows").size() +
          [&] {
            std::size_t skipped = 0;
            for (const auto& [reason, count] : check.at("skipped").items()) {
              skipped += count.get<std::size_t>();
            }
            return skipped;
          }(),
      236U);
  std::size_t valid = 0;
  for (const json& row : check.at("rows")) valid += row.at("data_valid").get<bool>() ? 1 : 0;
  EXPECT_EQ(check.at("n").get<std::size_t>(), valid);
}

TEST(CheckVerb, RowsWithoutAProfileAreSkipped) {
  const TemporaryFolder folder;
  const std::string file = folder.file(
      "mine.jsonl",
      R"({"id":"A","set":"s","cluster":"elsewhere","protocol":"role","path":"hybrid",)"
      R"("gpus_per_domain":4,"ffn_ranks":4,"attention_ranks":4,"tokens":1,"transport_sms":24,)"
      R"("median_us":76.3})"
      "\n{\"probe\":\"x\"}\n");
  const json check = json_of("check --records " + file);
  EXPECT_EQ(check.at("n"), 0);
  EXPECT_TRUE(check.at("max_abs_pct").is_null());
  EXPECT_EQ(check.at("skipped").at("no profile for cluster elsewhere"), 1);
  EXPECT_EQ(check.at("skipped").size(), 2U);
  EXPECT_EQ(json_of("check --profile h100-4x-cx7-ndr400 --records " + file).at("n"), 1);
  expect_refused("check --records " + file + " --fail-above 5", "no row could be predicted");
}

TEST(CheckVerb, RowsWithoutAConfigurationAreCounted) {
  const TemporaryFolder folder;
  const std::string file = folder.file(
      "mine.jsonl",
      R"({"id":"A","set":"s","cluster":"h100-4x-cx7-ndr400","protocol":"role","path":"hybrid",)"
      R"("gpus_per_domain":4,"ffn_ranks":4,"attention_ranks":4,"tokens":1,"median_us":76.3})");
  EXPECT_EQ(json_of("check --records " + file).at("skipped").at("missing transport_sms"), 1);
}

TEST(CheckVerb, GoalsAreAllThereAndSpeedComesFromTheBenchmark) {
  const TemporaryFolder folder;
  const std::string bench = folder.file("bench.json", R"({"benchmarks":[
    {"name":"hold/16","run_name":"hold/16","run_type":"iteration","real_time":1.0,
     "time_unit":"ns","items_per_second":4.0e7},
    {"name":"hold_floor/16","run_name":"hold_floor/16","run_type":"iteration","real_time":1.0,
     "time_unit":"ns","items_per_second":8.0e7},
    {"name":"recorded_set","run_name":"recorded_set","run_type":"iteration","real_time":250.0,
     "time_unit":"ms"}]})");
  const ProgramResult result = run_program("check --goals --json --bench " + bench);
  EXPECT_EQ(result.code, 1) << "half of the floor misses its goal: " << result.err;
  const json goals = json::parse(result.out);
  std::map<std::string, json> by_key;
  for (const json& goal : goals.at("goals")) by_key[goal.at("key")] = goal;
  EXPECT_EQ(by_key.at("laws.fitted").at("status"), "met");
  EXPECT_EQ(by_key.at("laws.s3").at("status"), "met");
  EXPECT_EQ(by_key.at("hold/16").at("reached"), 40.0);
  EXPECT_EQ(by_key.at("hold/16").at("status"), "met");
  EXPECT_EQ(by_key.at("hold_ratio/16").at("reached"), 0.5);
  EXPECT_EQ(by_key.at("hold_ratio/16").at("status"), "missed");
  EXPECT_EQ(by_key.at("recorded_set").at("reached"), 0.25);
  EXPECT_EQ(by_key.at("sweep_10000").at("status"), "not measured");
  expect_refused("check --goals --bench " + folder.file("bad.json", "{"), "bad.json");
  expect_refused("check --bench " + bench, "--goals");
}

TEST(CheckVerb, BadInput) {
  expect_refused("check --law H_C", "H_A");
  expect_refused("check --law /no/such/law.json", "/no/such/law.json");
  expect_refused("check --profile no-such-profile", "no-such-profile");
  expect_refused("check --law H_A --profile h100-4x-cx7-ndr400", "--profile");
  expect_refused("check --only fitted", "--only");
  expect_refused("check --timelines /no/such/file", "/no/such/file");
}

}  // namespace
