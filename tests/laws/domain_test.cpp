#include <gtest/gtest.h>

#include <cstdio>
#include <filesystem>

#include "fanin/calibrate/law_predictor.hpp"
#include "fanin/hw/atomic_file.hpp"
#include "fanin/hw/error.hpp"
#include "fanin/model/law_family.hpp"

namespace {

using namespace fanin::calibrate;

Record record(int sms, int sources, int tokens, const std::string& path = "hybrid") {
  return *parse_record(
      R"({"id":"D)" + std::to_string(sms) + "." + std::to_string(sources) + "." +
          std::to_string(tokens) + R"(","cluster":"c","protocol":"role","path":")" + path +
          R"(","gpus_per_domain":)" + (path == "nvlink" ? std::to_string(4 + 4 * sources) : "4") +
          R"(,"ffn_ranks":4,"attention_ranks":)" + std::to_string(4 * sources) + R"(,"tokens":)" +
          std::to_string(tokens) + R"(,"transport_sms":)" + std::to_string(sms) +
          R"(,"median_us":)" + std::to_string(60 + 0.05 * 8 * sms * sources + 6 * sources) + "}",
      "made");
}

TEST(LawDomain, RangesValuesAndCombinations) {
  const LawDomain domain =
      LawDomain::of({record(8, 1, 1), record(48, 1, 1), record(16, 3, 1), record(48, 3, 1)});
  EXPECT_TRUE(domain.outside(record(24, 2, 1)).empty());
  EXPECT_EQ(domain.outside(record(64, 2, 1)), std::vector<std::string>{"transport_sms"});
  // A field that no law reads counts as well.
  EXPECT_FALSE(domain.outside(record(24, 2, 8)).empty());
  // 8 SMs were seen, three sources were seen, but not together.
  EXPECT_EQ(domain.outside(record(8, 3, 1)),
            std::vector<std::string>{"transport_sms+sources+tokens"});
  const std::vector<std::string> other = domain.outside(record(24, 2, 1, "nvlink"));
  EXPECT_NE(std::find(other.begin(), other.end(), "path"), other.end());
}

std::vector<Record> rows() {
  std::vector<Record> all;
  for (int sources = 1; sources <= 3; ++sources) {
    for (const int sms : {8, 16, 32}) all.push_back(record(sms, sources, 1));
  }
  return all;
}

TEST(LawPredictor, SurvivesItsFile) {
  ContestOptions options;
  options.laws = {fanin::model::find_law("H_A")};
  const Contest fitted = contest(rows(), options);
  const LawPredictor before = LawPredictor::of(fitted, fitted.laws.front());
  const std::string path = testing::TempDir() + "/fanin_law_predictor.json";
  fanin::write_file(path, to_json(before));
  const LawPredictor after = read_law_predictor(path);
  std::filesystem::remove(path);
  EXPECT_EQ(after.law, before.law);
  EXPECT_EQ(after.values, before.values);
  EXPECT_EQ(after.fitted_rows, before.fitted_rows);
  EXPECT_LE(after.draws.size(), 400u);
  EXPECT_GE(after.draws.size(), 200u);
  EXPECT_EQ(after.predict(record(24, 2, 1)).us, before.predict(record(24, 2, 1)).us);
  EXPECT_EQ(after.predict(record(24, 5, 1)).outside, before.predict(record(24, 5, 1)).outside);
  EXPECT_TRUE(after.fitted_on("D8.1.1"));
  EXPECT_FALSE(after.fitted_on("D24.2.1"));
}

TEST(LawPredictor, BadFilesAreNamed) {
  const std::string path = testing::TempDir() + "/fanin_bad_law.json";
  for (const char* text :
       {"", "{", "[]", "{}", R"({"schema":"fanin-law-fit"})",
        R"({"schema":"fanin-law-fit","version":9})",
        R"({"schema":"fanin-law-fit","version":1,"law":"H_C"})",
        R"({"schema":"fanin-law-fit","version":1,"law":"H_A","parameters":{"a":{"value":"x"}}})"}) {
    fanin::write_file(path, text);
    try {
      read_law_predictor(path);
      FAIL() << text;
    } catch (const fanin::InputError& error) {
      EXPECT_EQ(std::string(error.what()).rfind(path, 0), 0u) << error.what();
    }
  }
  std::filesystem::remove(path);
}

TEST(LawPredictor, NamesTheFieldThatARecordLacks) {
  ContestOptions options;
  options.laws = {fanin::model::find_law("H_A")};
  const Contest fitted = contest(rows(), options);
  const LawPredictor predictor = LawPredictor::of(fitted, fitted.laws.front());
  const Record bare = *parse_record(R"({"id":"B","tokens":1,"median_us":20})", "made");
  try {
    predictor.predict(bare);
    FAIL();
  } catch (const fanin::InputError& error) {
    EXPECT_NE(std::string(error.what()).find("transport_sms"), std::string::npos);
  }
}

}  // namespace
