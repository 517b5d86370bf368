// The same bad input through the program: exit 2, one line on stderr, nothing on stdout.
#include "program.hpp"

#include <gtest/gtest.h>
#include <unistd.h>

#include <algorithm>
#include <filesystem>
#include <nlohmann/json.hpp>

namespace {

void expect_one_line_and_exit_2(const std::string& arguments, const std::string& contains) {
  const ProgramResult result = run_program(arguments);
  EXPECT_EQ(result.code, 2) << arguments << '\n' << result.err;
  EXPECT_EQ(result.out, "") << arguments;
  EXPECT_EQ(std::count(result.err.begin(), result.err.end(), '\n'), 1) << arguments << '\n'
                                                                       << result.err;
  EXPECT_EQ(result.err.rfind("fanin: ", 0), 0U) << result.err;
  EXPECT_NE(result.err.find(contains), std::string::npos) << arguments << '\n' << result.err;
}

TEST(Program, ImportRefusesWhatItCannotUse) {
  const TemporaryFolder folder;
  const auto import = [&](const std::string& text) {
    return "import csv " + folder.file("t.csv", text);
  };
  expect_one_line_and_exit_2(import(""), "t.csv: is empty");
  expect_one_line_and_exit_2(import("median_us\nNaN\n"), "t.csv:2: median_us: 'NaN'");
  expect_one_line_and_exit_2(import("median_us\n-1\n"), "t.csv:2: median_us: -1");
  expect_one_line_and_exit_2(import("a\n1\n"), "missing median_us");
  expect_one_line_and_exit_2("import csv " + folder.path(""), "is a directory");
  expect_one_line_and_exit_2("import csv /no/such/file.csv", "No such file");
  expect_one_line_and_exit_2(import("median_us\n20\n") + " --map a",
                             "--map: 'a'; expected FIELD=VALUE");
  expect_one_line_and_exit_2(import("median_us\n20\n") + " --out /no/such/folder/x.jsonl",
                             "cannot be written");
  expect_one_line_and_exit_2("import", "command line");
  expect_one_line_and_exit_2("import nonsense x", "command line");
}

TEST(Program, ImportWithoutPermission) {
  if (::geteuid() == 0) GTEST_SKIP() << "root may read every file";
  const TemporaryFolder folder;
  const std::string path = folder.file("t.csv", "median_us\n20\n");
  std::filesystem::permissions(path, std::filesystem::perms::none);
  expect_one_line_and_exit_2("import csv " + path, "Permission denied");
}

TEST(Program, AFailedImportLeavesTheOldFile) {
  const TemporaryFolder folder;
  const std::string out = folder.file("out.jsonl", "old\n");
  const std::string table = folder.file("t.csv", "median_us\n20\n-1\n");
  EXPECT_EQ(run_program("import csv " + table + " --out " + out).code, 2);
  EXPECT_EQ(folder.read("out.jsonl"), "old\n");
}

TEST(Program, ImportWritesRecordsAndSaysWhatIsMissing) {
  const TemporaryFolder folder;
  const std::string table = folder.file("t.csv", "ntok,median_us\n8,20\n");
  const ProgramResult lines =
      run_program("import csv " + table + " --map tokens=ntok --set path=nvlink");
  EXPECT_EQ(lines.code, 0);
  EXPECT_EQ(lines.out,
            "{\"id\":\"t:2\",\"set\":\"t\",\"path\":\"nvlink\",\"tokens\":8,\"median_us\":20}\n");
  EXPECT_NE(lines.err.find("missing for predictions: transport_sms in 1 records"),
            std::string::npos)
      << lines.err;
  const ProgramResult json = run_program("import csv " + table + " --map tokens=ntok --json");
  const auto summary = nlohmann::json::parse(json.out);
  EXPECT_EQ(summary["records"], 1);
  EXPECT_EQ(summary["rows"][0]["tokens"], 8);
  EXPECT_EQ(summary["missing"]["path"], 1);
}

TEST(Program, ProfileRefusesWhatItCannotUse) {
  const TemporaryFolder folder;
  expect_one_line_and_exit_2("profile show nowhere", "not found");
  expect_one_line_and_exit_2("profile show " + folder.file("p.json", "{\"schema\":"),
                             "parse error");
  expect_one_line_and_exit_2("profile show " + folder.file("q.json", "{\"nam\":1}"),
                             "/nam: unknown key");
  expect_one_line_and_exit_2("profile show " + folder.path("."), "is a directory");
  expect_one_line_and_exit_2("profile validate " + folder.file("r.json", ""), "is empty");
}

TEST(Program, ProfileShowAndDiff) {
  const ProgramResult show = run_program("profile show h100-4x-cx7-ndr400 --json");
  EXPECT_EQ(show.code, 0) << show.err;
  const auto profile = nlohmann::json::parse(show.out);
  EXPECT_EQ(profile["cluster"], "h100-4x-cx7-ndr400");
  EXPECT_EQ(profile["parameters"]["nic.line_rate"]["unit"], "GB/s");
  const ProgramResult diff =
      run_program("profile diff h100-4x-cx7-ndr400 h100-4x-cx7-ndr400 --json");
  EXPECT_EQ(diff.code, 0) << diff.err;
  EXPECT_TRUE(nlohmann::json::parse(diff.out)["rows"].empty());
  EXPECT_EQ(run_program("profile validate h100-4x-cx7-ndr400 h200-nvlink-domain").code, 0);
}

}  // namespace
