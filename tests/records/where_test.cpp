#include "fanin/calibrate/where.hpp"

#include <gtest/gtest.h>

#include "fanin/hw/error.hpp"

namespace fanin::calibrate {
namespace {

Record row(const std::string& extra) {
  return *parse_record(
      R"({"id":"A","set":"a","protocol":"role","path":"hybrid","ffn_ranks":4,"attention_ranks":12,)"
      R"("gpus_per_domain":4,"tokens":8,"transport_sms":24,"median_us":90)" +
          extra + "}",
      "f:1");
}

bool matches(const std::string& clauses, const std::string& extra = "") {
  return Where::parse(clauses).matches(row(extra));
}

TEST(Where, Operators) {
  EXPECT_TRUE(matches(""));
  EXPECT_TRUE(matches("tokens=8"));
  EXPECT_TRUE(matches("tokens=8.0"));
  EXPECT_FALSE(matches("tokens=9"));
  EXPECT_FALSE(matches("tokens!=8"));
  EXPECT_TRUE(matches("tokens<9"));
  EXPECT_FALSE(matches("tokens<8"));
  EXPECT_TRUE(matches("tokens<=8"));
  EXPECT_FALSE(matches("tokens>8"));
  EXPECT_TRUE(matches("tokens>=8"));
  EXPECT_FALSE(matches("tokens>=8.5"));
}

TEST(Where, OneOfAndAnd) {
  EXPECT_TRUE(matches("set=b|a"));
  EXPECT_FALSE(matches("set=b|c"));
  EXPECT_FALSE(matches("set!=b|a"));
  EXPECT_TRUE(matches("set!=b|c"));
  EXPECT_TRUE(matches("set=a,tokens>=8,protocol!=symmetric"));
  EXPECT_FALSE(matches("set=a,tokens>8,protocol!=symmetric"));
  EXPECT_TRUE(matches(" set = a | b , tokens = 8 "));
}

TEST(Where, DefaultsDerivedAndUnknownFields) {
  EXPECT_TRUE(matches("sources=3"));
  EXPECT_TRUE(matches("hidden=2048,exit=per_cta,collect_view=false,data_valid=true"));
  EXPECT_TRUE(matches("collect_view=true", R"(,"collect_view":true)"));
  EXPECT_TRUE(matches("driver=580", R"(,"driver":"580")"));
  EXPECT_TRUE(matches("watts>600", R"(,"watts":612.5)"));
}

TEST(Where, FieldThatARecordDoesNotHaveMatchesOnlyNotEqual) {
  EXPECT_FALSE(matches("driver=580"));
  EXPECT_FALSE(matches("driver<580"));
  EXPECT_TRUE(matches("driver!=580"));
}

TEST(Where, TextIsNeverOrdered) { EXPECT_FALSE(matches("set>=0")); }

TEST(Where, SelectNamesAFieldThatNoRecordHas) {
  const std::vector<Record> rows = {row("")};
  try {
    Where::parse("tokenz=8").select(rows);
    FAIL();
  } catch (const InputError& error) {
    EXPECT_NE(std::string(error.what()).find("'tokens'?"), std::string::npos) << error.what();
  }
  EXPECT_EQ(Where::parse("tokenz!=8").select(rows).size(), 1U);
  EXPECT_EQ(Where::parse("variant=combine_grid_all_ranks").select(rows).size(), 0U);
  EXPECT_EQ(Where::parse("tokens=8").select(rows).size(), 1U);
}

class BadWhere : public testing::TestWithParam<const char*> {};

TEST_P(BadWhere, IsRefusedWithTheClause) {
  try {
    Where::parse(GetParam());
    FAIL() << GetParam();
  } catch (const InputError& error) {
    EXPECT_EQ(error.where(), "--where");
    EXPECT_FALSE(error.expected().empty());
  }
}

INSTANTIATE_TEST_SUITE_P(Clauses, BadWhere,
                         testing::Values("tokens", "=8", "tokens=", "tokens!8", "tokens=8,", ",",
                                         "tokens==8", "tokens>=a", "tokens>=8|16", "tokens>nan",
                                         "set=a||b", "a=b=c"));

}  // namespace
}  // namespace fanin::calibrate
