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
#include "fanin/model/deepep.hpp"
#include "output.hpp"
#include "sweep.hpp"
#include "table.hpp"
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

/// Half-finished work is kept this often.
constexpr std::chrono::seconds kCheckpoint{5};

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

/// How many points, the fastest, and for stock kernels what they would choose themselves.
void SweepCommand::show(const Sweep& sweep, std::size_t taken_over) const {
  const std::vector<double> times = sweep.times();
  const auto fastest =
      static_cast<std::size_t>(std::min_element(times.begin(), times.end()) - times.begin());
  Json summary;
  summary["points"] = sweep.size();
  summary["resumed"] = taken_over;
  summary["out"] = out;
  if (!times.empty()) {
    summary["fastest"] = Json::parse(sweep.point(fastest).key +
                                     ",\"exchange_us\":" + Json(times[fastest]).dump() + "}");
  }
  const bool stock = exchange.given_text("preset") == "deepep-v2";
  if (stock && !times.empty()) {
    summary["deepep_v2_default_sms"] =
        model::deepep_v2_default_sms(model::deepep_world(sweep.point(fastest).exchange));
  }
  if (json) {
    print_json(summary);
    return;
  }
  std::printf("%zu points, %zu of them from an earlier run -> %s\n", sweep.size(), taken_over,
              out.c_str());
  if (times.empty()) return;
  std::printf("fastest: %s\n", summary["fastest"].dump().c_str());
  if (stock) {
    std::printf("DeepEP V2 would take %d SMs by itself\n",
                summary["deepep_v2_default_sms"].get<int>());
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
  auto saved = begin;
  const unsigned cores = std::max(1U, std::thread::hardware_concurrency());
  sweep.run(threads > 0 ? threads : cores, [&](std::size_t done) {
    const auto now = std::chrono::steady_clock::now();
    if (terminal && now - begin > std::chrono::seconds(2)) {
      std::fprintf(stderr, "\r%zu of %zu", done, sweep.size());
    }
    if (!out.empty() && now - saved > kCheckpoint) {
      saved = now;
      write_file(out, sweep.lines());
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
