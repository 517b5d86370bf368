#include <gtest/gtest.h>

#include <nlohmann/json.hpp>
#include <sstream>
#include <string>

#include "../records/program.hpp"

namespace {

using nlohmann::json;

const std::string kGrid =
    "sweep --sources 1,2 --tokens 1,3 --transport-sms 8,16,24 --tail-interval 3,6 ";

std::size_t lines_of(const std::string& text) {
  std::size_t lines = 0;
  for (const char c : text) lines += c == '\n' ? 1 : 0;
  return lines;
}

TEST(SweepVerb, OneLineForEachCombination) {
  const ProgramResult result = run_program(kGrid);
  ASSERT_EQ(result.code, 0) << result.err;
  EXPECT_EQ(lines_of(result.out), 2U * 2U * 3U * 2U);
  EXPECT_EQ(result.out.substr(0, 12), "{\"sources\":\"");
  EXPECT_NE(result.out.find("\"exchange_us\":"), std::string::npos);
  EXPECT_EQ(result.err, "");
}

TEST(SweepVerb, MergedShardsEqualTheSingleRun) {
  const std::string whole = run_program(kGrid + "--threads 1").out;
  for (const int count : {2, 5, 7}) {
    std::string merged;
    for (int i = 1; i <= count; ++i) {
      merged +=
          run_program(kGrid + "--shard " + std::to_string(i) + "/" + std::to_string(count)).out;
    }
    EXPECT_EQ(merged, whole);
  }
}

TEST(SweepVerb, ThreadsDoNotChangeTheLines) {
  EXPECT_EQ(run_program(kGrid + "--threads 1").out, run_program(kGrid + "--threads 4").out);
}

TEST(SweepVerb, ResumeKeepsFinishedLines) {
  const TemporaryFolder folder;
  const std::string file = folder.path("grid.jsonl");
  const std::string whole = run_program(kGrid).out;
  // A run that was cut off inside a line, and a line that no simulation would give.
  const std::size_t first = whole.find('\n') + 1;
  std::string marked = whole.substr(0, first);
  marked.replace(marked.find("\"exchange_us\":"), std::string::npos, "\"exchange_us\":1.5}\n");
  folder.file("grid.jsonl", marked + whole.substr(first, 40));
  const ProgramResult result = run_program(kGrid + "--resume --json --out " + file);
  ASSERT_EQ(result.code, 0) << result.err;
  EXPECT_NE(result.out.find("\"resumed\":1"), std::string::npos) << result.out;
  EXPECT_EQ(folder.read("grid.jsonl"), marked + whole.substr(first));
}

TEST(SweepVerb, FixesSpanTheGrid) {
  const ProgramResult result =
      run_program("sweep --tail-interval 3 --protocol role,symmetric --tokens 1");
  ASSERT_EQ(result.code, 0) << result.err;
  EXPECT_EQ(lines_of(result.out), 2U);
}

const std::string kStock =
    "--preset deepep-v2 --ffn-ranks 8 --attention-ranks 8 --gpus-per-domain 8 --experts 256 ";

TEST(SweepVerb, StockDefaultBesideTheFastest) {
  const TemporaryFolder folder;
  const ProgramResult result =
      run_program("sweep " + kStock + "--tokens 1,64 --transport-sms 4,12,32 --json --out " +
                  folder.path("stock.jsonl"));
  ASSERT_EQ(result.code, 0) << result.err;
  const json choices = json::parse(result.out).at("sm_choices");
  ASSERT_EQ(choices.size(), 2U);
  double lines = 0.0;
  for (const json& choice : choices) {
    const json& stock = choice.at("deepep_v2_default");
    EXPECT_EQ(stock.at("transport_sms"), 12);
    const double fastest = choice.at("fastest").at("us");
    EXPECT_NEAR(stock.at("loss_pct"), 100.0 * (stock.at("us").get<double>() / fastest - 1.0), 1e-9);
    lines += fastest;
  }
  // The time at stock's choice is the grid's own where the grid has it.
  const std::string twelve = "--transport-sms 12 --tokens ";
  double at_twelve = 0.0;
  for (const char* tokens : {"1", "64"}) {
    const ProgramResult one = run_program("simulate --json " + kStock + twelve + tokens);
    ASSERT_EQ(one.code, 0) << one.err;
    at_twelve += json::parse(one.out).at("exchange_us").get<double>();
  }
  EXPECT_DOUBLE_EQ(choices[0].at("deepep_v2_default").at("us").get<double>() +
                       choices[1].at("deepep_v2_default").at("us").get<double>(),
                   at_twelve);
  EXPECT_LE(lines, at_twelve);
}

TEST(SweepVerb, BadInputIsOneLine) {
  for (const char* arguments :
       {"sweep --tokens 1,x", "sweep --shard 3/2", "sweep --shard 0/2", "sweep --shard a",
        "sweep --shard 1", "sweep --shard 1/0", "sweep --shard 1/2/3", "sweep --shard -1/2",
        "sweep --shard 1/2x", "sweep --shard ' 1/2'", "sweep --shard /", "sweep --shard ''",
        "sweep --shard 99999999999999999999/2", "sweep --shard", "sweep --resume",
        "sweep --transport-sms 8,0", "sweep --json"}) {
    const ProgramResult result = run_program(arguments);
    EXPECT_EQ(result.code, 2) << arguments;
    EXPECT_EQ(lines_of(result.err), 1U) << result.err;
    EXPECT_EQ(result.out, "") << arguments;
  }
}

}  // namespace
