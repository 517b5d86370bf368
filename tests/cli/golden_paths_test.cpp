// What `fanin simulate` said of every path under the registry's priors, kept in a file: period,
// events and every kernel's start and end. A change of any step shows here. To remake the file
// after a change that is meant: FANIN_REMAKE_GOLDEN=1 build/tests/cli/golden_paths_test, then look
// at the difference.
#include <gtest/gtest.h>

#include <cstdlib>
#include <fstream>
#include <nlohmann/json.hpp>
#include <sstream>
#include <string>
#include <vector>

#include "../records/program.hpp"

namespace {

using nlohmann::json;

const std::string kFolder = FANIN_SOURCE_DIR "/tests/exchange/golden/";

std::vector<std::string> lines_of(const std::string& path) {
  std::ifstream in(path);
  std::vector<std::string> lines;
  for (std::string line; std::getline(in, line);) lines.push_back(line);
  return lines;
}

/// One line of the file.
std::string simulated(const std::string& arguments) {
  const ProgramResult result =
      run_program("simulate --json --profile " + kFolder + "priors.json " + arguments);
  if (result.code != 0) return arguments + ": " + result.err;
  const json said = json::parse(result.out);
  json kernels = json::array();
  for (const json& kernel : said.at("kernels")) {
    kernels.push_back({kernel.at("device"), kernel.at("kernel"), kernel.at("grid"),
                       kernel.at("start_us"), kernel.at("end_us")});
  }
  json line{{"arguments", arguments},
            {"exchange_us", said.at("exchange_us")},
            {"events", said.at("events")},
            {"kernels", kernels}};
  if (said.contains("gemm")) line["gemm"] = said.at("gemm");
  return line.dump();
}

TEST(Golden, EveryPathUnderThePriors) {
  const std::vector<std::string> arguments = lines_of(kFolder + "arguments.txt");
  ASSERT_FALSE(arguments.empty());
  std::vector<std::string> now;
  for (const std::string& line : arguments) now.push_back(simulated(line));
  if (std::getenv("FANIN_REMAKE_GOLDEN") != nullptr) {
    std::ofstream out(kFolder + "simulated.jsonl");
    for (const std::string& line : now) out << line << '\n';
  }
  const std::vector<std::string> golden = lines_of(kFolder + "simulated.jsonl");
  ASSERT_EQ(golden.size(), arguments.size()) << "remake the file, as the first lines of this say";
  for (std::size_t i = 0; i < golden.size(); ++i) EXPECT_EQ(now[i], golden[i]);
}

}  // namespace
