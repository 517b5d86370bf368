// GEMM, exchange and makespan times of `fanin simulate`.
#include <gtest/gtest.h>

#include <nlohmann/json.hpp>
#include <string>

#include "../records/program.hpp"

namespace {

using nlohmann::json;

const std::string kDomain = "simulate --path nvlink --ffn-ranks 1 --sources 3 --tokens 512 ";

json said(const std::string& arguments) {
  const ProgramResult result = run_program(arguments + " --json");
  EXPECT_EQ(result.code, 0) << result.err;
  return json::parse(result.out);
}

TEST(SimulateGemm, SaysGemmExchangeAndMakespan) {
  const json beside = said(kDomain + "--gemm-solo-us 24.8");
  const json& gemm = beside.at("gemm");
  const double exchange = beside.at("exchange_us");
  EXPECT_EQ(gemm.at("exchange_us").get<double>(), exchange);
  EXPECT_EQ(gemm.at("solo_exchange_us"), said(kDomain).at("exchange_us"));
  EXPECT_EQ(gemm.at("solo_us").get<double>(), 24.8);
  EXPECT_GT(gemm.at("attention_us_per_gemm").get<double>(), 24.8);
  EXPECT_GT(gemm.at("ffn_us_per_gemm").get<double>(), 24.8);
  EXPECT_EQ(gemm.at("exchanges"), 200);
  EXPECT_DOUBLE_EQ(gemm.at("makespan_us"), 200.0 * exchange);
  EXPECT_DOUBLE_EQ(said(kDomain + "--gemm-solo-us 24.8 --exchanges 7").at("gemm").at("makespan_us"),
                   7.0 * exchange);
}

TEST(SimulateGemm, OnOneRole) {
  const json ffn = said(kDomain + "--gemm-solo-us 24.8 --gemm-on ffn").at("gemm");
  EXPECT_TRUE(ffn.contains("ffn_us_per_gemm"));
  EXPECT_FALSE(ffn.contains("attention_us_per_gemm"));
  const json attention = said(kDomain + "--gemm-solo-us 24.8 --gemm-on attention").at("gemm");
  EXPECT_FALSE(attention.contains("ffn_us_per_gemm"));
  EXPECT_TRUE(attention.contains("attention_us_per_gemm"));
  const json both = said(kDomain + "--gemm-solo-us 24.8").at("gemm");
  EXPECT_GT(both.at("exchange_us"), ffn.at("exchange_us"));
  EXPECT_GT(both.at("exchange_us"), attention.at("exchange_us"));
}

TEST(SimulateGemm, ReadableOutputSaysTheSame) {
  const ProgramResult result = run_program(kDomain + "--gemm-solo-us 24.8");
  for (const char* words :
       {"beside GEMMs of 24.80 us", "a GEMM on Attention", "a GEMM on FFN", "makespan of 200"}) {
    EXPECT_NE(result.out.find(words), std::string::npos) << words;
  }
  EXPECT_EQ(run_program(kDomain).out.find("GEMM"), std::string::npos);
}

TEST(SimulateGemm, NoneWithoutALoad) { EXPECT_FALSE(said(kDomain).contains("gemm")); }

TEST(SimulateGemm, BadInputIsOneLine) {
  for (const char* flag : {"--gemm-on nobody", "--gemm-solo-us -1", "--exchanges 0"}) {
    const ProgramResult result = run_program(kDomain + flag);
    EXPECT_EQ(result.code, 2) << flag;
    EXPECT_EQ(result.out, "") << flag;
  }
}

}  // namespace
