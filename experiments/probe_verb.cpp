// fanin probe: what a launch, a signal, a copy and a barrier cost on this GPU, or with --nic what
// the emulated NIC holds of what it is asked for.
#include <unistd.h>

#include <cmath>
#include <memory>

#include "fanin/hw/atomic_file.hpp"
#include "fanin/hw/error.hpp"
#include "fanin/hw/profile.hpp"
#include "fanin/kernels/availability.hpp"
#include "fanin/kernels/config_error.hpp"
#include "fanin/probe/probe.hpp"
#include "nic_probe.hpp"
#include "output.hpp"
#include "probe_against.hpp"
#include "run_record.hpp"
#include "table.hpp"
#include "verb.hpp"

namespace fanin::experiments {
namespace {

constexpr const char* kExamples =
    "Examples:\n"
    "  fanin probe --out h200-x1.json --records probe.jsonl\n"
    "  fanin probe --only copy. --repeats 1\n"
    "  fanin probe --nic --records nic.jsonl\n"
    "  fanin probe --against probe.jsonl\n"
    "Exit code 0; 1 when a goal of the emulated NIC is missed, or a figure differs from an earlier "
    "run's; 2 without a GPU.";

struct ProbeCommand {
  probe::ProbeOptions options;
  std::string cluster = "h200-x1";
  std::string out;
  std::string records;
  std::string against;
  std::string version;
  bool nic = false;
  bool quick = false;
  int repeats = 3;
  bool one_process = false;
  bool list = false;
  bool json = false;

  int run() const;

 private:
  int run_machine() const;
  std::vector<probe::Figure> measure_here() const;
  std::vector<probe::Figure> measure_in_fresh_processes() const;
  int run_nic() const;
  std::string command() const;
};

std::string ProbeCommand::command() const {
  std::string text = nic ? "fanin probe --nic" : "fanin probe";
  if (!nic && repeats != 3) text += " --repeats " + std::to_string(repeats);
  if (!nic && options.rounds != 1) text += " --rounds " + std::to_string(options.rounds);
  if (quick) text += " --quick";
  for (const std::string& only : options.only) text += " --only " + only;
  return text;
}

void progress(const std::string& what) {
  if (isatty(STDERR_FILENO) != 0) std::fprintf(stderr, "probe: %s\n", what.c_str());
}

/// What every line of a record file states beside its measurement.
Json record_of(const ProbeCommand& command, const probe::Machine& machine, const std::string& id,
               const std::string& set, const std::string& cluster, const std::string& how) {
  Json line;
  line["id"] = id;
  line["set"] = set;
  line["cluster"] = cluster;
  line["gpu"] = machine.gpu;
  line["driver_cuda"] = machine.driver;
  line["runtime_cuda"] = machine.runtime;
  line["version"] = command.version;
  line["command"] = how;
  return line;
}

void write_lines(const std::string& path, const std::vector<Json>& lines) {
  if (path.empty()) return;
  std::string text;
  for (const Json& line : lines) text += line.dump() + "\n";
  write_file(path, text);
}

Json json_of(const probe::Figure& figure) {
  Json json;
  json["figure"] = figure.name;
  json["unit"] = figure.unit;
  json["median"] = figure.estimate.median;
  json["ci95"] = {figure.estimate.ci95[0], figure.estimate.ci95[1]};
  json["samples"] = figure.estimate.samples;
  json["stopped"] = to_string(figure.estimate.stopped);
  json["limits"] = {figure.low, figure.high};
  json["meaning"] = figure.meaning;
  if (!figure.parameter.empty()) json["parameter"] = figure.parameter;
  if (!figure.flag().empty()) json["flag"] = figure.flag();
  return json;
}

probe::Figure figure_of(const Json& json) {
  probe::Figure figure;
  figure.name = json.at("figure").get<std::string>();
  figure.unit = json.at("unit").get<std::string>();
  figure.meaning = json.at("meaning").get<std::string>();
  figure.parameter = json.value("parameter", "");
  figure.low = json.at("limits").at(0).get<double>();
  figure.high = json.at("limits").at(1).get<double>();
  figure.estimate.median = json.at("median").get<double>();
  figure.estimate.ci95 = json.at("ci95").get<std::array<double, 2>>();
  figure.estimate.samples = json.at("samples").get<int>();
  const std::string stopped = json.at("stopped").get<std::string>();
  for (const probe::Stop stop : {probe::Stop::converged, probe::Stop::most, probe::Stop::time}) {
    if (stopped == to_string(stop)) figure.estimate.stopped = stop;
  }
  return figure;
}

std::vector<probe::Figure> ProbeCommand::measure_here() const {
  probe::ProbeOptions how = options;
  how.progress = [](const std::string& figure, int round) {
    progress("round " + std::to_string(round + 1) + ", " + figure);
  };
  return probe::run_probe(how);
}

/// Some figures (launch gaps, offsets of timers) keep a value as long as their process lives.
std::vector<probe::Figure> ProbeCommand::measure_in_fresh_processes() const {
  std::vector<std::string> arguments = {"probe", "--one-process", "--json"};
  const auto add = [&](const char* option, const auto& value) {
    arguments.insert(arguments.end(), {option, Json(value).dump()});
  };
  add("--rounds", options.rounds);
  add("--spread", options.rule.spread);
  add("--seconds", options.rule.seconds);
  for (const std::string& only : options.only) arguments.insert(arguments.end(), {"--only", only});
  std::vector<probe::Figure> figures;
  std::vector<std::vector<probe::Estimate>> estimates;
  for (int i = 0; i < repeats; ++i) {
    progress("process " + std::to_string(i + 1));
    const Repeat repeat = run_program(arguments);
    if (!repeat.error.empty()) throw kernels::RunFailure(repeat.error);
    const Json& measured = repeat.result.at("figures");
    estimates.resize(measured.size());
    figures.clear();
    for (std::size_t f = 0; f < measured.size(); ++f) {
      figures.push_back(figure_of(measured[f]));
      estimates[f].push_back(figures.back().estimate);
    }
  }
  for (std::size_t f = 0; f < figures.size(); ++f) figures[f].estimate = probe::join(estimates[f]);
  return figures;
}

int ProbeCommand::run_machine() const {
  if (list) {
    for (const std::string& name : probe::figure_names()) std::printf("%s\n", name.c_str());
    return 0;
  }
  Comparison comparison;
  if (!against.empty()) comparison.earlier = read_probe(against);
  const probe::Machine machine = probe::machine();
  const std::vector<probe::Figure> figures =
      one_process ? measure_here() : measure_in_fresh_processes();
  std::vector<Json> lines;
  Json all = Json::array();
  Table table({"figure", "median", "95% interval", "unit", "samples", "stopped", "remark"},
              "lrrlrll");
  for (const probe::Figure& figure : figures) {
    Json line =
        record_of(*this, machine, cluster + "/probe/" + figure.name, "probe", cluster, command());
    const Json measured = json_of(figure);
    line.update(measured);
    lines.push_back(line);
    all.push_back(measured);
    table.row({figure.name, significant(figure.estimate.median, 4),
               interval(figure.estimate.ci95[0], figure.estimate.ci95[1], 4), figure.unit,
               std::to_string(figure.estimate.samples),
               std::string(to_string(figure.estimate.stopped)), figure.flag()});
    comparison.add(figure.name, figure.estimate.ci95);
  }
  write_lines(records, lines);
  if (!out.empty()) {
    hw::write_profile(probe::to_profile(figures, machine, cluster, command()), out);
  }
  if (json) {
    Json result;
    result["gpu"] = machine.gpu;
    result["sms"] = machine.sms;
    result["figures"] = all;
    if (!against.empty()) comparison.add_to(result);
    print_json(result);
  } else {
    table.print();
    if (!against.empty()) comparison.print(against);
  }
  return comparison.differing.empty() ? 0 : 1;
}

Json json_of(const NicRow& row) {
  Json json;
  json["test"] = row.test;
  json["figure"] = row.figure();
  json["ci95"] = row.ci95;
  json["nic"] = row.setting;
  json["what"] = row.what;
  json["asked_ns"] = row.asked_ns;
  json["held_ns"] = row.held_ns;
  json["error_pct"] = row.error_pct();
  if (row.load) json["load"] = *row.load;
  if (row.response_ns) json["response_ns"] = *row.response_ns;
  if (row.md1_response_ns) json["md1_response_ns"] = *row.md1_response_ns;
  json["operations"] = row.operations;
  if (row.pairs > 0) {
    json["pairs"] = row.pairs;
    json["inversions"] = row.inversions;
  }
  json["late_ns"] = row.late_ns;
  if (row.goal_pct > 0) json["goal_pct"] = row.goal_pct;
  if (row.goal_ns > 0) json["goal_ns"] = row.goal_ns;
  if (row.goal_pct > 0 || row.goal_ns > 0) json["missed"] = row.missed();
  return json;
}

int ProbeCommand::run_nic() const {
  const probe::Machine machine = probe::machine();
  Comparison comparison;
  if (!against.empty()) comparison.earlier = read_probe(against);
  const std::vector<NicRow> rows = probe_nic({quick, repeats, progress});
  std::vector<Json> lines;
  Json all = Json::array();
  Table table({"test", "NIC", "asked ns", "held ns", "95% interval", "error %", "load", "response",
               "M/D/1", "goal", "what"},
              "llrrlrrrrll");
  bool missed = false;
  int number = 0;
  for (const NicRow& row : rows) {
    Json line = record_of(*this, machine, cluster + "/nic/" + std::to_string(number++), "nic",
                          cluster + "-" + row.setting, command());
    const Json measured = json_of(row);
    line.update(measured);
    lines.push_back(line);
    all.push_back(measured);
    missed = missed || row.missed();
    comparison.add(row.figure(), row.ci95);
    const bool goal = row.goal_pct > 0 || row.goal_ns > 0;
    table.row(
        {row.test, row.setting, fixed(row.asked_ns, 2), fixed(row.held_ns, 2),
         interval(row.ci95[0], row.ci95[1], 5), row.asked_ns > 0 ? fixed(row.error_pct(), 2) : "",
         row.load ? fixed(*row.load, 1) : "", row.response_ns ? fixed(*row.response_ns, 1) : "",
         row.md1_response_ns ? fixed(*row.md1_response_ns, 1) : "",
         !goal          ? ""
         : row.missed() ? "MISSED"
                        : "met",
         row.test == "order"
             ? row.what + ": " + std::to_string(row.inversions) + " of " + std::to_string(row.pairs)
             : row.what});
  }
  write_lines(records, lines);
  if (json) {
    Json result;
    result["gpu"] = machine.gpu;
    result["rows"] = all;
    result["missed"] = missed;
    if (!against.empty()) comparison.add_to(result);
    print_json(result);
  } else {
    table.print();
    if (!against.empty()) comparison.print(against);
  }
  return missed || !comparison.differing.empty() ? 1 : 0;
}

int ProbeCommand::run() const {
  const std::string reason = kernels::missing();
  if (!reason.empty()) throw InputError("probe", reason, "a machine with an NVIDIA GPU");
  try {
    return nic ? run_nic() : run_machine();
  } catch (const kernels::ConfigError& error) {
    throw InputError(error.where(), error.problem(), error.expected());
  } catch (const kernels::RunFailure& failure) {
    std::fprintf(stderr, "fanin: probe: %s\n", failure.what());
    return 1;
  }
}

}  // namespace

std::pair<CLI::App*, Runner> add_probe_verb(CLI::App& app) {
  CLI::App* verb = app.add_subcommand(
      "probe", "Measures this GPU (launches, signals, copies, barriers), or the emulated NIC");
  verb->footer(kExamples);
  auto command = std::make_shared<ProbeCommand>();
  command->version = FANIN_VERSION;
  verb->add_flag("--nic", command->nic, "Measure the emulated NIC instead: asked against held");
  verb->add_flag("--quick", command->quick, "With --nic: a tenth of the operations");
  verb->add_option("--only", command->options.only, "Figures whose name starts so")->delimiter(',');
  verb->add_option("--repeats", command->repeats, "Fresh processes; with --nic, repeats in one")
      ->check(CLI::Range(1, 100))
      ->capture_default_str();
  verb->add_flag("--one-process", command->one_process, "Measure in this process only");
  verb->add_option("--rounds", command->options.rounds, "Rounds of all figures in each process")
      ->check(CLI::Range(1, 100))
      ->capture_default_str();
  verb->add_option("--spread", command->options.rule.spread,
                   "Half the interval's width over the median at which a figure is done")
      ->check(CLI::Range(1e-6, 1.0))
      ->capture_default_str();
  verb->add_option("--seconds", command->options.rule.seconds, "Time for one figure in one round")
      ->check(CLI::Range(0.001, 600.0))
      ->capture_default_str();
  verb->add_option("--cluster", command->cluster, "Name of the machine in records and profile")
      ->capture_default_str();
  verb->add_option("--out", command->out, "Write a profile with the measured parameters");
  verb->add_option("--records", command->records, "Write the figures as JSON lines");
  verb->add_option("--against", command->against,
                   "Records of an earlier run: name the figures whose intervals do not overlap")
      ->check(CLI::ExistingFile);
  verb->add_flag("--list", command->list, "Print the names of the figures");
  verb->add_flag("--json", command->json, "One JSON object on stdout");
  return {verb, [command] { return command->run(); }};
}

}  // namespace fanin::experiments
