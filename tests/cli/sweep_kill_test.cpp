// A sweep that is killed in the middle of its work, and what a resumed one makes of it.
#include <fcntl.h>
#include <gtest/gtest.h>
#include <signal.h>
#include <stdlib.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <chrono>
#include <filesystem>
#include <fstream>
#include <string>
#include <thread>
#include <vector>

#include "../records/program.hpp"

namespace {

using namespace std::chrono_literals;

/// Seconds of work for one core.
const std::vector<std::string> kGrid{"sweep",
                                     "--sources",
                                     "3",
                                     "--tokens",
                                     "2048",
                                     "--transport-sms",
                                     "8,16,24,32,40,48",
                                     "--tail-interval",
                                     "1,2,3,4,5,6",
                                     "--outstanding",
                                     "1,2,4,8,16",
                                     "--queue-depth",
                                     "64,256"};
constexpr std::ptrdiff_t kPoints = 6 * 6 * 5 * 2;

std::string joined(const std::vector<std::string>& words) {
  std::string text;
  for (const std::string& word : words) text += word + ' ';
  return text;
}

/// The program with its progress on a terminal of its own.
class RunningProgram {
 public:
  RunningProgram(std::vector<std::string> arguments, const std::string& out) {
    terminal_ = ::posix_openpt(O_RDWR | O_NOCTTY);
    if (terminal_ < 0 || ::grantpt(terminal_) != 0 || ::unlockpt(terminal_) != 0) return;
    const std::string name = ::ptsname(terminal_);
    ::fcntl(terminal_, F_SETFL, O_NONBLOCK);
    arguments.insert(arguments.begin(), FANIN_PROGRAM);
    pid_ = ::fork();
    if (pid_ != 0) return;
    const int err = ::open(name.c_str(), O_RDWR | O_NOCTTY);
    const int file = ::open(out.c_str(), O_WRONLY | O_CREAT | O_TRUNC, 0600);
    ::dup2(file, STDOUT_FILENO);
    ::dup2(err, STDERR_FILENO);
    std::vector<char*> argv;
    for (std::string& argument : arguments) argv.push_back(argument.data());
    argv.push_back(nullptr);
    ::execv(FANIN_PROGRAM, argv.data());
    ::_exit(127);
  }
  ~RunningProgram() {
    kill();
    if (terminal_ >= 0) ::close(terminal_);
  }
  RunningProgram(const RunningProgram&) = delete;
  RunningProgram& operator=(const RunningProgram&) = delete;

  bool started() const { return pid_ > 0; }
  void kill() {
    if (pid_ <= 0) return;
    ::kill(pid_, SIGKILL);
    ::waitpid(pid_, nullptr, 0);
    pid_ = -1;
  }
  /// What it has written to its terminal so far.
  const std::string& progress() {
    char buffer[4096];
    for (ssize_t got = 0; (got = ::read(terminal_, buffer, sizeof buffer)) > 0;)
      progress_.append(buffer, static_cast<std::size_t>(got));
    return progress_;
  }
  std::ptrdiff_t threads() const {
    std::error_code gone;
    const std::filesystem::directory_iterator tasks("/proc/" + std::to_string(pid_) + "/task",
                                                    gone);
    return gone ? 0 : std::distance(begin(tasks), end(tasks));
  }

 private:
  int terminal_ = -1;
  pid_t pid_ = -1;
  std::string progress_;
};

std::ptrdiff_t lines_in(const std::string& text) {
  return std::count(text.begin(), text.end(), '\n');
}

TEST(SweepKill, ResumedRunEqualsAnUndisturbedOne) {
  const TemporaryFolder folder;
  const std::string file = folder.path("grid.jsonl");
  std::vector<std::string> arguments = kGrid;
  arguments.insert(arguments.end(), {"--threads", "1", "--out", file});
  {
    RunningProgram program(arguments, folder.path("out"));
    ASSERT_TRUE(program.started());
    const auto give_up = std::chrono::steady_clock::now() + 60s;
    while (std::chrono::steady_clock::now() < give_up &&
           (!std::filesystem::exists(file) || program.progress().empty())) {
      std::this_thread::sleep_for(5ms);
    }
    program.kill();
    EXPECT_NE(program.progress().find(" of " + std::to_string(kPoints)), std::string::npos)
        << program.progress();
  }
  EXPECT_EQ(folder.read("out"), "");  // progress goes to the terminal alone
  const std::string kept = folder.read("grid.jsonl");
  ASSERT_GT(lines_in(kept), 0);
  ASSERT_LT(lines_in(kept), kPoints) << "killed too late to test anything";
  EXPECT_EQ(kept.back(), '\n');  // renamed whole

  const ProgramResult resumed = run_program(joined(kGrid) + "--resume --json --out " + file);
  ASSERT_EQ(resumed.code, 0) << resumed.err;
  EXPECT_EQ(resumed.err, "");
  EXPECT_NE(resumed.out.find("\"resumed\":" + std::to_string(lines_in(kept)) + ","),
            std::string::npos)
      << resumed.out;
  const ProgramResult whole = run_program(joined(kGrid));
  EXPECT_EQ(folder.read("grid.jsonl"), whole.out);
}

TEST(SweepKill, TakesAThreadForEachCore) {
  const TemporaryFolder folder;
  RunningProgram program(kGrid, folder.path("out"));
  ASSERT_TRUE(program.started());
  const auto wanted = static_cast<std::ptrdiff_t>(std::thread::hardware_concurrency()) + 1;
  const auto give_up = std::chrono::steady_clock::now() + 30s;
  std::ptrdiff_t most = 0;
  while (std::chrono::steady_clock::now() < give_up && most < wanted) {
    most = std::max(most, program.threads());
    std::this_thread::sleep_for(1ms);
  }
  EXPECT_GE(most, wanted);
}

/// As a copy or a full disk may leave it: the file ends at any byte of a line.
TEST(SweepKill, ResumesAFileThatEndsInsideALine) {
  const std::string grid = "sweep --tokens 1,2 --transport-sms 8,16 ";
  const std::string whole = run_program(grid).out;
  const std::size_t first = whole.find('\n') + 1;
  const std::size_t second = whole.find('\n', first) + 1;
  for (std::size_t cut = first; cut < second; cut += 3) {
    const TemporaryFolder folder;
    const std::string file = folder.file("grid.jsonl", whole.substr(0, cut));
    const ProgramResult result = run_program(grid + "--resume --json --out " + file);
    ASSERT_EQ(result.code, 0) << result.err;
    // A line without its newline is whole.
    const char* taken = cut + 1 < second ? "\"resumed\":1," : "\"resumed\":2,";
    EXPECT_NE(result.out.find(taken), std::string::npos) << cut << ' ' << result.out;
    EXPECT_EQ(folder.read("grid.jsonl"), whole) << cut;
  }
}

TEST(SweepKill, ShardsResumeAlone) {
  const std::string grid = "sweep --tokens 1,2,3 --transport-sms 8,16 ";
  const TemporaryFolder folder;
  std::string merged;
  for (const char* part : {"1", "2", "3", "4"}) {
    const std::string name = std::string("part") + part;
    const std::string shard = grid + "--shard " + part + "/4 --out " + folder.path(name);
    ASSERT_EQ(run_program(shard).code, 0);
    const std::string once = folder.read(name);
    folder.file(name, once.substr(0, once.size() / 2));
    ASSERT_EQ(run_program(shard + " --resume").code, 0);
    EXPECT_EQ(folder.read(name), once);
    merged += once;
  }
  EXPECT_EQ(merged, run_program(grid).out);
}

}  // namespace
