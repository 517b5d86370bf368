// fanin sweep: all combinations of exchange flags, in parallel, as JSON lines.
#include <unistd.h>

#include <algorithm>
#include <chrono>
#include <cstdio>
#include <filesystem>
#include <memory>
#include <thread>

#include "exchange_flags.hpp"
#include "fanin/hw/atomic_file.hpp"
#include "fanin/hw/error.hpp"
#include "output.hpp"
#include "sweep.hpp"
#include "sweep_summary.hpp"
#include "verb.hpp"

namespace fanin::experiments {
namespace {

constexpr const char* kExamples =
    "Examples:\n"
    "  fanin sweep --sources 1,2,3 --transport-sms 8,16,24,32,48 --fix none,4,4+8 --out "
    "grid.jsonl\n"
    "  fanin sweep --tokens 1,8,32 --transport-sms 8,16,24 --shard 1/2 --out part1.jsonl\n"
    "  fanin sweep --preset deepep-v2 --tokens 1,128 --transport-sms 4,6,8,12,24,64 --out "
    "stock.jsonl\n"
    "Shards written one after another (cat part1.jsonl part2.jsonl) are the whole grid.";

/// Half-finished work is kept this often, unless that takes a large share of the time.
constexpr std::chrono::milliseconds kCheckpoint{500};
constexpr int kCheckpointRest = 20;

/// Rows of the readable summary's table.
constexpr std::size_t kShownChoices = 20;

struct SweepCommand {
  ExchangeFlags exchange;
  std::string out;
  std::string shard = "1/1";
  bool resume = false;
  bool json = false;
  unsigned threads = 0;

  int run() const;

 private:
  void show(const Sweep& sweep, std::size_t taken_over) const;
};

/// How many points, the fastest, and for each exchange its fastest SMs beside stock's choice.
void SweepCommand::show(const Sweep& sweep, std::size_t taken_over) const {
  Json summary;
  summary["points"] = sweep.size();
  summary["resumed"] = taken_over;
  summary["out"] = out;
  const std::vector<double> times = sweep.times();
  if (!times.empty()) {
    const auto fastest =
        static_cast<std::size_t>(std::min_element(times.begin(), times.end()) - times.begin());
    summary["fastest"] = Json::parse(sweep.point(fastest).key +
                                     ",\"exchange_us\":" + Json(times[fastest]).dump() + "}");
  }
  std::vector<SmChoice> choices;
  if (exchange.given_text("preset") == "deepep-v2" ||
      !exchange.given_text("transport-sms").empty()) {
    choices = sm_choices(sweep, threads);
  }
  if (json) {
    summary["sm_choices"] = to_json(choices);
    print_json(summary);
    return;
  }
  std::printf("%zu points, %zu of them taken over, in %s\n", sweep.size(), taken_over, out.c_str());
  if (times.empty()) return;
  std::printf("fastest: %s\n", summary["fastest"].dump().c_str());
  if (!choices.empty()) {
    std::printf("\n");
    print(choices, kShownChoices);
  }
}

int SweepCommand::run() const {
  if (resume && out.empty())
    throw InputError("--resume", "given without --out", "the file to go on with");
  if (json && out.empty())
    throw InputError("--json", "given without --out", "a file for the lines");
  Sweep sweep(exchange.grid(), exchange.given(), Shard::parse(shard));
  std::size_t taken_over = 0;
  if (resume && std::filesystem::exists(out)) taken_over = sweep.resume(read_file(out));
  const bool terminal = isatty(STDERR_FILENO) != 0;
  const auto begin = std::chrono::steady_clock::now();
  auto save_at = begin + kCheckpoint;
  const unsigned cores = std::max(1U, std::thread::hardware_concurrency());
  sweep.run(threads > 0 ? threads : cores, [&](std::size_t done) {
    const auto now = std::chrono::steady_clock::now();
    if (terminal && now - begin > std::chrono::seconds(2)) {
      std::fprintf(stderr, "\r%zu of %zu", done, sweep.size());
    }
    if (!out.empty() && now > save_at) {
      write_file(out, sweep.lines());
      const auto saved = std::chrono::steady_clock::now();
      save_at = saved + std::max<std::chrono::steady_clock::duration>(
                            kCheckpoint, kCheckpointRest * (saved - now));
    }
  });
  if (terminal) std::fprintf(stderr, "\r\033[K");
  if (out.empty()) {
    std::fputs(sweep.lines().c_str(), stdout);
    return 0;
  }
  write_file(out, sweep.lines());
  show(sweep, taken_over);
  return 0;
}

}  // namespace

std::pair<CLI::App*, Runner> add_sweep_verb(CLI::App& app) {
  auto command = std::make_shared<SweepCommand>();
  CLI::App* verb = app.add_subcommand("sweep", "Simulate a grid of exchanges on all cores");
  command->exchange.add_to(*verb, true);
  verb->add_option("--out", command->out, "File for the JSON lines; without it they go to stdout");
  verb->add_flag("--resume", command->resume, "Keep the lines that --out has already");
  verb->add_option("--shard", command->shard, "i/n: only the i-th of n equal parts of the grid");
  verb->add_option("--threads", command->threads, "Threads; default one a core")
      ->check(CLI::Range(1U, 1024U));
  verb->add_flag("--json", command->json, "One JSON object on stdout");
  verb->footer(kExamples);
  return {verb, [command] { return command->run(); }};
}

}  // namespace fanin::experiments
