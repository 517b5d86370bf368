// fanin run: exchanges as CUDA kernels, verified and timed.
#include <unistd.h>

#include <memory>
#include <set>
#include <sstream>

#include "fanin/hw/atomic_file.hpp"
#include "fanin/hw/error.hpp"
#include "fanin/kernels/config_error.hpp"
#include "run_record.hpp"
#include "table.hpp"
#include "verb.hpp"

namespace fanin::experiments {
namespace {

constexpr const char* kHelp =
    "Runs exchanges as CUDA kernels on one GPU, compares every delivered byte with a CPU reference "
    "and "
    "times them: largest over sources of the time per exchange, median over blocks, then over "
    "fresh "
    "processes. Lists (--transport-sms 8,16,24) span a grid.";

struct RunCommand {
  RunFlags flags;
  int repeats = 3;
  std::string set = "run";
  std::string out;
  std::string commit = FANIN_COMMIT;
  bool json = false;
  bool one_process = false;
  bool copy_goal = false;
};

/// The process that run_fresh started, and anybody who wants neither records nor fresh processes.
int run_here(const RunCommand& command) {
  const std::vector<RunPoint> grid = command.flags.grid();
  if (grid.size() != 1)
    throw InputError("--one-process", std::to_string(grid.size()) + " points", "one");
  const kernels::RunConfig config = command.flags.config(grid.front());
  const kernels::Machine before = kernels::machine();
  const kernels::RunResult result = kernels::run_exchange(config);
  kernels::Machine machine = before;
  machine.sm_clock_mhz = kernels::machine().sm_clock_mhz;
  const Json object = to_json(result, machine);
  if (command.json) {
    print_json(object);
  } else {
    std::printf("%.3f us an exchange, %zu bytes in %zu blocks compared\n", result.median_us,
                result.checked_bytes, result.checked_blocks);
  }
  return 0;
}

int run_copy_goal(const RunCommand& command) {
  constexpr int kRepeats = 30;
  Table table({"transport_sms", "tokens", "plain_us", "dispatch_us", "ratio", "plain_GB/s"}, "r");
  Json rows = Json::array();
  for (const RunPoint& point : command.flags.grid()) {
    const kernels::CopyGoal goal =
        kernels::measure_copy_goal(command.flags.config(point), kRepeats);
    const double ratio = goal.plain_us / goal.dispatch_us;
    rows.push_back({{"transport_sms", point.transport_sms},
                    {"tokens", point.tokens},
                    {"bytes", goal.bytes},
                    {"plain_us", goal.plain_us},
                    {"dispatch_us", goal.dispatch_us},
                    {"ratio", ratio}});
    table.row({std::to_string(point.transport_sms), std::to_string(point.tokens),
               fixed(goal.plain_us, 2), fixed(goal.dispatch_us, 2), fixed(ratio, 3),
               fixed(static_cast<double>(goal.bytes) / goal.plain_us / 1e3, 0)});
  }
  if (command.json) {
    print_json({{"copy_goal", rows}});
  } else {
    table.print();
  }
  return 0;
}

/// The lines already in the output file, whose ids the new records must not repeat.
std::string existing_lines(const std::string& path, std::set<std::string>& ids) {
  if (path.empty() || access(path.c_str(), F_OK) != 0) return {};
  std::string text = read_file(path);
  std::istringstream lines(text);
  for (std::string line; std::getline(lines, line);) {
    const Json record = Json::parse(line, nullptr, false);
    if (record.is_object() && record.contains("id")) ids.insert(record["id"].get<std::string>());
  }
  return text;
}

int run_grid(const RunCommand& command) {
  std::set<std::string> ids;
  std::string text = existing_lines(command.out, ids);
  for (const RunPoint& point : command.flags.grid()) command.flags.config(point);
  Table table({"id", "median_us", "repeats_us", "blocks_us", "compared"}, "lrlll");
  Json records = Json::array();
  Json failures = Json::array();
  for (const RunPoint& point : command.flags.grid()) {
    std::vector<Json> repeats;
    std::string error;
    for (int i = 0; i < command.repeats && error.empty(); ++i) {
      Repeat repeat = run_fresh(command.flags, point);
      error = repeat.error;
      if (error.empty()) repeats.push_back(std::move(repeat.result));
    }
    if (!error.empty()) {
      std::fprintf(stderr, "%s\n", error.c_str());
      std::string arguments;
      for (const std::string& argument : command.flags.arguments(point))
        arguments += argument + " ";
      failures.push_back({{"command", arguments}, {"error", error}});
      continue;
    }
    Json record = make_record(command.flags, point, repeats, command.set, command.commit);
    const auto id = record["id"].get<std::string>();
    if (!ids.insert(id).second)
      throw InputError("--set", "id " + id + " is already in " + command.out, "another --set");
    std::string each;
    for (const Json& us : record["repeats_us"])
      each += (each.empty() ? "" : " ") + fixed(us.get<double>(), 2);
    const char* const time = record.contains("median_us") ? "median_us" : "unwarmed_us";
    table.row({id, fixed(record[time].get<double>(), 2), each,
               fixed(record["block_range_us"][0].get<double>(), 2) + " … " +
                   fixed(record["block_range_us"][1].get<double>(), 2),
               std::to_string(record["checked_bytes"].get<std::size_t>()) + " B"});
    text += record.dump() + "\n";
    records.push_back(std::move(record));
  }
  if (!command.out.empty()) write_file(command.out, text);
  if (command.json) {
    print_json({{"records", records}, {"failures", failures}});
  } else {
    table.print();
  }
  return failures.empty() ? 0 : 1;
}

int run(const RunCommand& command) {
  require_gpu("run");
  try {
    if (command.copy_goal) return run_copy_goal(command);
    return command.one_process ? run_here(command) : run_grid(command);
  } catch (const kernels::ConfigError& error) {
    throw InputError(error.where(), error.problem(), error.expected());
  } catch (const kernels::RunFailure& failure) {
    std::fprintf(stderr, "fanin: run: %s\n", failure.what());
    return 1;
  }
}

}  // namespace

std::pair<CLI::App*, Runner> add_run_verb(CLI::App& app) {
  CLI::App* verb = app.add_subcommand("run", kHelp);
  auto command = std::make_shared<RunCommand>();
  command->flags.add_to(*verb);
  verb->add_option("--repeats", command->repeats, "Fresh processes")->check(CLI::Range(1, 1000));
  verb->add_option("--set", command->set, "Name of these measurements, part of every id");
  verb->add_option("--out", command->out, "Adds the records to this JSONL file");
  verb->add_option("--commit", command->commit, "Version of the code that the records name");
  verb->add_flag("--json", command->json, "One JSON object on stdout");
  verb->add_flag("--one-process", command->one_process, "No fresh processes and no record");
  verb->add_flag(
      "--copy-goal", command->copy_goal,
      "Times the Attention dispatch alone against a plain copy of its rows on as many SMs");
  return {verb, [command] { return run(*command); }};
}

}  // namespace fanin::experiments
