#include "../../experiments/probe_against.hpp"

#include <gtest/gtest.h>

#include "fanin/hw/error.hpp"
#include "fanin_paths.hpp"
#include "temporary_folder.hpp"

namespace fanin::experiments {
namespace {

TEST(ProbeAgainst, ReadsTheCommittedProbe) {
  const EarlierProbe probe =
      read_probe(FANIN_SOURCE_DIR "/experiments/recorded/h200-x1/probe.jsonl");
  EXPECT_GT(probe.size(), 50U);
  EXPECT_TRUE(overlap(probe.at("timer.step"), {31.0, 33.0}));
  EXPECT_FALSE(overlap(probe.at("timer.step"), {33.0, 34.0}));
}

std::string error_of(const std::string& text) {
  const TemporaryFolder folder;
  const std::string path = folder.file("probe.jsonl", text);
  try {
    read_probe(path);
  } catch (const InputError& error) {
    return std::string(error.what()).substr(path.size());
  }
  return "";
}

TEST(ProbeAgainst, SaysWhereALineIsWrong) {
  const std::string good = R"({"figure":"a","ci95":[1,2]})";
  EXPECT_EQ(error_of(good + "\n{}\n"), "");
  EXPECT_EQ(error_of(good + "\n[1]\n"), ":2: no JSON object; expected one object a line");
  EXPECT_EQ(error_of(R"({"figure":"a","ci95":[2,1]})"),
            ":1: ci95: [2,1]; expected [low, high] of a named figure");
  EXPECT_EQ(error_of(R"({"figure":"a"})"),
            ":1: ci95: null; expected [low, high] of a named figure");
  EXPECT_EQ(error_of("{}\n"), ": no figure; expected records of fanin probe");
}

}  // namespace
}  // namespace fanin::experiments
