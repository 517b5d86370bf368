#include "verb_checks.hpp"

namespace {

using nlohmann::json;

const std::string kLaw = " --law competing_resources --draws 100 --where " + kOneToken;

TEST(AdviseVerb, FromALaw) {
  const json advice = json_of("advise --ratio 1:1 --tokens 1" + kLaw);
  const auto& rows = advice.at("rows");
  double best = 1e9;
  for (const json& row : rows) best = std::min(best, row.at("us").get<double>());
  EXPECT_EQ(advice.at("fastest").at("us").get<double>(), best);
  // The law is flat where the chain decides: the fewest of the equally fast SMs are named.
  EXPECT_EQ(advice.at("fastest").at("transport_sms"), 8);
  EXPECT_TRUE(advice.at("at_edge").get<bool>());
  EXPECT_EQ(advice.at("thrifty").at("transport_sms"), 8);
  EXPECT_EQ(advice.at("fastest").at("ci95").size(), 2U);
  EXPECT_TRUE(advice.at("fastest").at("ci95_with_model")[0].is_null());  // of profiles only
}

TEST(AdviseVerb, ToleranceBuysFewerSms) {
  const TemporaryFolder folder;
  // Time falls with SMs: 300 us of work shared over them, and 14 us that are not.
  std::string rows;
  for (const int n : {4, 8, 12, 16, 24, 32}) {
    rows += R"({"id":"A)" + std::to_string(n) + R"(","tokens":1,"transport_sms":)" +
            std::to_string(n) + R"(,"median_us":)" + std::to_string(14.0 + 300.0 / n) + "}\n";
  }
  const std::string arguments =
      "advise --law shared_over_sms --records " + folder.file("rows.jsonl", rows) + " --tokens 1";
  const json strict = json_of(arguments + " --tolerance 0");
  EXPECT_EQ(strict.at("fastest").at("transport_sms"), 32);
  EXPECT_EQ(strict.at("thrifty").at("transport_sms"), 32);
  EXPECT_EQ(json_of(arguments + " --tolerance 15").at("thrifty").at("transport_sms"), 24);
}

TEST(AdviseVerb, FromAProfile) {
  const json advice = json_of("advise --ratio 3:1 --tokens 1 --transport-sms 8,16,24,48");
  ASSERT_EQ(advice.at("rows").size(), 4U);
  const json simulated =
      json_of("simulate --ffn-ranks 4 --attention-ranks 12 --tokens 1 --transport-sms 16");
  EXPECT_EQ(advice.at("rows")[1].at("us"), simulated.at("exchange_us"));
  for (const json& row : advice.at("rows")) {
    const json& wide = row.at("ci95_with_model");
    EXPECT_LT(wide[0].get<double>(),
              std::min(row.at("us").get<double>(), 1e-9 + row.at("ci95")[0].get<double>()));
    EXPECT_GT(wide[1].get<double>(),
              std::max(row.at("us").get<double>(), row.at("ci95")[1].get<double>() - 1e-9));
  }
  EXPECT_EQ(advice.at("rows")[1].at("ci95_with_model"), simulated.at("ci95_with_model"));
  const json& stock = advice.at("stock");
  EXPECT_NEAR(
      stock.at("loss_pct"),
      100.0 * (stock.at("us").get<double>() / advice.at("fastest").at("us").get<double>() - 1.0),
      1e-9);
  EXPECT_EQ(advice.at("recorded").at("transport_sms"), 16);
  EXPECT_NEAR(advice.at("recorded").at("us").get<double>(), 99.7, 0.1);
}

/// No row of three sources was measured below 16 SMs, and none at all with 4.
TEST(AdviseVerb, ACandidateOutsideTheFittedRowsIsMarked) {
  const json advice =
      json_of("advise --ratio 3:1 --tokens 1 --profile h100-4x-cx7-ndr400 --transport-sms 4,8,24");
  for (const json& row : advice.at("rows")) {
    EXPECT_EQ(row.at("extrapolated").get<bool>(), row.at("transport_sms").get<int>() < 16) << row;
  }
  const json priors =
      json_of("advise --ratio 3:1 --tokens 1 --transport-sms 24 --profile " FANIN_SOURCE_DIR
              "/hw/profiles/priors/h100-4x-cx7-ndr400.json");
  EXPECT_TRUE(priors.at("fastest").at("extrapolated").get<bool>());
}

TEST(AdviseVerb, TokenMixIsTheWeightedMean) {
  const std::string base = "advise --ratio 2:1 --transport-sms 16 --tokens ";
  const auto us = [](const json& advice) { return advice.at("rows")[0].at("us").get<double>(); };
  const double one = us(json_of(base + "1"));
  const double many = us(json_of(base + "128"));
  EXPECT_NEAR(us(json_of(base + "1,128 --token-shares 3,1")), 0.75 * one + 0.25 * many, 1e-9);
}

TEST(AdviseVerb, BesideCompute) {
  const json advice =
      json_of("advise --ratio 1:1 --tokens 1 --transport-sms 8,16,24 --gemm-solo-us 200");
  ASSERT_TRUE(advice.contains("beside_compute"));
  double best = 1e9;
  for (const json& row : advice.at("rows")) {
    EXPECT_GE(row.at("both_us").get<double>(), 200.0);
    best = std::min(best, row.at("both_us").get<double>());
  }
  EXPECT_EQ(advice.at("beside_compute").at("both_us").get<double>(), best);
  const json gemm = json_of("simulate --tokens 1 --transport-sms 8 --gemm-solo-us 200").at("gemm");
  EXPECT_EQ(advice.at("rows")[0].at("both_us").get<double>(),
            std::max(gemm.at("attention_us_per_gemm").get<double>(),
                     gemm.at("ffn_us_per_gemm").get<double>()));
}

TEST(AdviseVerb, EachCaseAsIfAskedAlone) {
  const std::string flags = "advise --path nvlink --transport-sms 8,24 ";
  const json cases = json_of(flags + "--ratio 1:1,3:1 --tokens 1,128 --each").at("cases");
  ASSERT_EQ(cases.size(), 4U);
  for (const json& one : cases) {
    const json alone = json_of(flags + "--ratio " + one.at("ratio").get<std::string>() +
                               " --tokens " + one.at("tokens").get<std::string>());
    for (const auto& [key, value] : alone.items()) EXPECT_EQ(one.at(key), value) << key;
  }
  EXPECT_EQ(cases[3].at("ratio"), "3:1");
  EXPECT_EQ(cases[3].at("tokens"), "128");
  expect_refused("advise --ratio 1:1,3:1", "--each");
  expect_refused("advise --tokens 1,8 --token-shares 1,2 --each", "--each");
}

TEST(AdviseVerb, BadInput) {
  for (const char* ratio : {"3", "3:", "0:1", "a:b", "3:1:1"}) {
    expect_refused("advise --ratio " + std::string(ratio), "--ratio");
  }
  expect_refused("advise --ratio 3:1 --sources 2", "--ratio");
  expect_refused("advise --tokens 1,8 --token-shares 1", "--token-shares");
  expect_refused("advise --tokens x", "--tokens");
  expect_refused("advise --tokens 1 --hidden 2048,4096", "lists for --tokens");
  expect_refused("advise --law per_rank --records " + kExternal + "deepep_v1_low_latency.csv",
                 "--transport-sms");
  expect_refused("advise --law H_A --profile h100-4x-cx7-ndr400", "--profile");
}

}  // namespace
