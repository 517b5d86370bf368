#include <gtest/gtest.h>

#include <sstream>
#include <string>

#include "../records/program.hpp"

namespace {

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

TEST(SweepVerb, StockDefaultBesideTheFastest) {
  const TemporaryFolder folder;
  const ProgramResult result = run_program(
      "sweep --preset deepep-v2 --ffn-ranks 8 --attention-ranks 8 --gpus-per-domain 8 "
      "--experts 256 --transport-sms 8,12 --json --out " +
      folder.path("stock.jsonl"));
  ASSERT_EQ(result.code, 0) << result.err;
  EXPECT_NE(result.out.find("\"deepep_v2_default_sms\":12"), std::string::npos) << result.out;
}

TEST(SweepVerb, BadInputIsOneLine) {
  for (const char* arguments :
       {"sweep --tokens 1,x", "sweep --shard 3/2", "sweep --shard 0/2", "sweep --shard a",
        "sweep --resume", "sweep --transport-sms 8,0", "sweep --json"}) {
    const ProgramResult result = run_program(arguments);
    EXPECT_EQ(result.code, 2) << arguments;
    EXPECT_EQ(lines_of(result.err), 1U) << result.err;
    EXPECT_EQ(result.out, "") << arguments;
  }
}

}  // namespace
