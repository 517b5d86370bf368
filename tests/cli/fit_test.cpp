#include "verb_checks.hpp"

namespace {

using nlohmann::json;

json law_of(const json& fit, const std::string& name) {
  for (const json& law : fit.at("laws")) {
    if (law.at("name") == name) return law;
  }
  ADD_FAILURE() << name;
  return {};
}

TEST(FitVerb, RecordedOneTokenRows) {
  const json fit = json_of("fit --where " + kOneToken + " --holdout sources=3 --draws 200");
  EXPECT_EQ(fit.at("best"), "competing_resources");
  EXPECT_EQ(fit.at("n"), 14);
  const json law = law_of(fit, "competing_resources");
  EXPECT_LE(law.at("max_abs_pct").get<double>(), 1.6);
  EXPECT_LE(law.at("holdout").at("max_abs_pct").get<double>(), 2.45);
  for (const char* key : {"rms_pct", "loo_rms_pct"}) EXPECT_TRUE(law.at(key).is_number()) << key;
  for (const auto& [name, parameter] : law.at("parameters").items()) {
    EXPECT_TRUE(parameter.at("unit").is_string()) << name;
    EXPECT_LT(parameter.at("ci95")[0].get<double>(), parameter.at("value").get<double>()) << name;
    EXPECT_GT(parameter.at("ci95")[1].get<double>(), parameter.at("value").get<double>()) << name;
  }
  EXPECT_EQ(law_of(fit, "H_A").at("standing"), "rejected");
  EXPECT_EQ(law_of(fit, "H_B").at("standing"), "rejected");
  EXPECT_EQ(fit.at("slopes").size(), 3U);
}

TEST(FitVerb, PublishedParameters) {
  const json fit = json_of(
      "fit --loss absolute --where 'set=cross_node_sm_sweep_s3|cross_node_one_to_one,tokens=1'");
  const json parameters = law_of(fit, "H_A").at("parameters");
  EXPECT_NEAR(parameters.at("a").at("value").get<double>(), 59.8, 0.05);
  EXPECT_NEAR(parameters.at("b").at("value").get<double>(), 56.4, 0.05);
  EXPECT_NEAR(parameters.at("d").at("value").get<double>(), 5.7, 0.05);
}

TEST(FitVerb, ReadableOutputSaysVerdictSlopesAndRefusals) {
  const ProgramResult result = run_program("fit --holdout sources=3 --next 2 --where " + kOneToken);
  EXPECT_EQ(result.code, 0) << result.err;
  EXPECT_EQ(result.err, "");
  for (const char* text : {"Best on the held-out rows", "Rejected", "1.00 : 2.00 : 3.00",
                           "1.00 : 1.00 : 1.00", "refused competing_resources_rows", "next run"}) {
    EXPECT_NE(result.out.find(text), std::string::npos) << text << '\n' << result.out;
  }
}

TEST(FitVerb, NextStaysInTheGridAndTellsLawsApart) {
  const json fit = json_of("fit --where " + kOneToken +
                           " --law H_A --law mixed --draws 100 --next 3"
                           " --grid 'transport_sms=8:64:8,sources=1|4,tokens=1'");
  ASSERT_EQ(fit.at("next").size(), 3U);
  for (const json& run : fit.at("next")) {
    EXPECT_LE(run.at("transport_sms").get<double>(), 64.0);
    EXPECT_TRUE(run.at("sources") == 1 || run.at("sources") == 4);
    EXPECT_GE(run.at("separation").get<double>(), 0.0);
  }
}

TEST(FitVerb, SavedLawPredictsAgain) {
  const TemporaryFolder folder;
  const std::string file = folder.path("law.json");
  json_of("fit --law competing_resources --draws 100 --where " + kOneToken + " --save " + file);
  const json check = json_of("check --law " + file + " --where " + kOneToken);
  EXPECT_LE(check.at("max_abs_pct").get<double>(), 1.6);
  for (const json& row : check.at("rows")) EXPECT_TRUE(row.at("fitted").get<bool>());
  expect_refused("fit --where " + kOneToken + " --draws 0 --save /no/such/folder/x.json",
                 "/no/such/folder/x.json");
}

TEST(FitVerb, ExternalTables) {
  struct Case {
    const char* arguments;
    const char* law;
    const char* missing;
  };
  const Case cases[] = {
      {"deepep_v1_low_latency.csv", "per_rank", "transport_sms"},
      {"deepep_v2_b200_efa_decode.csv", "per_rank", "transport_sms"},
      {"deepep_v2_h20_tokens.csv --where model=kimi-k2", "fixed_or_per_row", "transport_sms"},
      {"uccl_ep_low_latency.csv --where machine=p5en", "per_rank", "transport_sms"},
      {"hybrid_ep_h100_sms.csv --where ranks=16 --bandwidth fp8_dispatch_GBps",
       "bandwidth_over_sms", "sources"},
      {"deepep_v2_readme_bandwidth.csv --bandwidth dispatch_GBps", "shared_over_sms", "sources"},
  };
  for (const Case& one : cases) {
    const json fit = json_of("fit --draws 50 --records " + kExternal + one.arguments);
    law_of(fit, one.law);
    bool named = false;
    for (const json& refusal : fit.at("refused")) {
      named |= refusal.at("reason").get<std::string>().find(one.missing) != std::string::npos;
    }
    EXPECT_TRUE(named) << one.arguments;
  }
  expect_refused("fit --records " + kExternal + "hybrid_ep_h100_sms.csv", "--bandwidth COLUMN");
}

TEST(FitVerb, NotesNameWhatRowsDifferInButNotWhereTheyComeFrom) {
  const std::string row =
      R"(,"protocol":"role","path":"hybrid","gpus_per_domain":1,"ffn_ranks":1,"attention_ranks":1,)"
      R"("tokens":1,"commit":"c%","command":"run %","version":"v%","driver":"d%")";
  std::string lines;
  for (int i = 1; i <= 8; ++i) {
    std::string line = R"({"id":"N)" + std::to_string(i) + R"(","transport_sms":)" +
                       std::to_string(4 * i) + R"(,"median_us":)" + std::to_string(20 + 3 * i) +
                       R"(,"machine":")" + (i % 2 == 0 ? "even" : "odd") + '"' + row + "}\n";
    for (std::size_t at = 0; (at = line.find('%', at)) != std::string::npos;)
      line.replace(at, 1, std::to_string(i));
    lines += line;
  }
  const TemporaryFolder folder;
  const std::string file = folder.file("notes.jsonl", lines);
  const ProgramResult result = run_program("fit --draws 50 --records " + file);
  EXPECT_EQ(result.code, 0) << result.err;
  EXPECT_NE(result.out.find("rows differ in machine (2 values)"), std::string::npos) << result.out;
  for (const char* field : {"commit", "command", "version", "driver"})
    EXPECT_EQ(result.out.find(std::string("differ in ") + field), std::string::npos) << field;
}

TEST(FitVerb, MappedColumns) {
  // The table's dispatch column for dsv4, solved by the normal equations of relative errors.
  const double table[][2] = {{1, 14.0}, {4, 14.1}, {8, 14.2}, {32, 14.9}, {128, 20.8}, {256, 28.3}};
  double ww = 0.0;
  double wt = 0.0;
  double tt = 0.0;
  double w = 0.0;
  double t = 0.0;
  for (const auto& [tokens, us] : table) {
    ww += 1.0 / (us * us);
    wt += tokens / (us * us);
    tt += tokens * tokens / (us * us);
    w += 1.0 / us;
    t += tokens / us;
  }
  const double a = (tt * w - wt * t) / (ww * tt - wt * wt);
  const json fit = json_of("fit --draws 50 --law fixed_per_row --where model=dsv4 --records " +
                           kExternal + "deepep_v2_h20_tokens.csv --map median_us=dispatch_us");
  EXPECT_NEAR(law_of(fit, "fixed_per_row").at("parameters").at("a").at("value").get<double>(), a,
              1e-6);
}

TEST(FitVerb, BadInput) {
  const TemporaryFolder folder;
  const std::string row =
      R"({"id":"A","set":"s","cluster":"c","protocol":"role","path":"hybrid","gpus_per_domain":4,)"
      R"("ffn_ranks":4,"attention_ranks":4,"sources":1,"tokens":1,"transport_sms":24,)"
      R"("median_us":)";
  expect_refused("fit --records " + folder.file("empty.jsonl", ""), "empty.jsonl");
  expect_refused("fit --records " + folder.file("one.jsonl", row + "76.3}\n"),
                 "1 row: no law can be fitted");
  expect_refused("fit --records " + folder.file("nan.jsonl", row + "NaN}\n"), "nan.jsonl:1");
  expect_refused("fit --records " + folder.file("negative.jsonl", row + "-3}\n"), "median_us");
  expect_refused("fit --records " + folder.file("cut.jsonl", row), "cut.jsonl:1");
  expect_refused("fit --records " + folder.file("twice.jsonl", row + "70}\n" + row + "70}\n"), "A");
  expect_refused("fit --records " + folder.path(""), "directory");
  expect_refused("fit --records /no/such/file", "/no/such/file");
  expect_refused("fit --where 'set=none'", "selects none");
  expect_refused("fit --where 'set'", "--where");
  expect_refused("fit --law H_C", "H_A");
  expect_refused("fit --loss cubic", "--loss");
  expect_refused("fit --holdout sources=9 --where " + kOneToken, "--holdout");
  expect_refused("fit --next 2 --grid colour=1 --where " + kOneToken, "--grid");
  // Rank deficient: a single number of sources, and a law that needs several.
  expect_refused("fit --law H_A --where 'set=cross_node_sm_sweep_s3,tokens=1'",
                 "cannot tell a, d apart; sources is the same in every row");
  expect_refused("fit --where 'data_valid=false'", "data_valid");
}

}  // namespace
