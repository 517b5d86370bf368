// fanin calibrate: from measurements and traces to a profile, through the simulator.
#include <unistd.h>

#include <cstdio>
#include <filesystem>
#include <memory>

#include "calibrate_candidates.hpp"
#include "calibrate_report.hpp"
#include "fanin/hw/error.hpp"
#include "record_flags.hpp"
#include "verb.hpp"

namespace fanin::experiments {
namespace {

constexpr const char* kHelp =
    "Fits the free parameters of a profile to measurements (and kernel timelines) through the "
    "simulator: estimates with 95% intervals, an ensemble of the parameter sets that the data "
    "allow, errors by set and on held-out rows.\n"
    "A profile declares its free parameters (\"fit\": {\"prior\", \"factor\"} or {\"tied_to\"}).";

constexpr const char* kExamples =
    "Examples:\n"
    "  fanin calibrate --profile h100-4x-cx7-ndr400 --out mine.json\n"
    "  fanin calibrate --profile mine.json --where 'tokens=1' --no-splits --out t1.json\n"
    "  fanin calibrate --profile mine.json --tie nic.responder.fetch_add=nic.requester.fetch_add "
    "\\\n"
    "                  --out tied.json --next 3\n"
    "Exit code 0, or 2 when the input is bad.";

struct CalibrateCommand {
  RecordFlags records;
  std::vector<std::string> timelines;
  std::string profile;
  std::string out;
  std::string name;
  calibrate::PlanChanges changes;
  calibrate::CalibrationOptions options;
  bool no_splits = false;
  int next = 0;
  std::string grid;
  bool json = false;

  int run() const;
  std::string command_line() const;
};

std::string quoted(const std::string& text) {
  const bool plain = text.find_first_of(" '\"|<>!&;*?~$") == std::string::npos;
  return plain ? text : "'" + text + "'";
}

/// How to make the profile again: what differs from the defaults.
std::string CalibrateCommand::command_line() const {
  const calibrate::CalibrationOptions defaults;
  std::string line = "fanin calibrate --profile " + quoted(profile);
  const auto add_all = [&](const char* flag, const std::vector<std::string>& values) {
    for (const std::string& value : values) line += std::string(" ") + flag + " " + quoted(value);
  };
  const auto add = [&](const char* flag, auto value, auto otherwise) {
    if (value == otherwise) return;
    char text[64];
    std::snprintf(text, sizeof text, " %s %.12g", flag, static_cast<double>(value));
    line += text;
  };
  add_all("--records", records.files);
  if (!records.where.empty()) line += " --where " + quoted(records.where);
  if (records.placement) line += " --placement";
  add_all("--timelines", timelines);
  add_all("--free", changes.free);
  add_all("--fix-parameter", changes.fixed);
  add_all("--tie", changes.tied);
  add("--noise", options.noise_pct, defaults.noise_pct);
  add("--robust-at", options.robust_at, defaults.robust_at);
  add("--timeline-rows", options.timeline_rows, defaults.timeline_rows);
  add("--starts", options.starts, defaults.starts);
  add("--iterations", options.iterations, defaults.iterations);
  add("--members", options.members, defaults.members);
  if (no_splits) line += " --no-splits";
  if (!name.empty()) line += " --name " + quoted(name);
  return line + " --out " + quoted(out);
}

int CalibrateCommand::run() const {
  const calibrate::RecordSet rows = records.read();
  calibrate::TimelineSet traces;
  if (!timelines.empty()) traces = calibrate::read_timelines(timelines);
  const calibrate::FitPlan plan = calibrate::FitPlan::of(hw::find_profile(profile), changes);
  const calibrate::Predictor simulator = calibrate::simulator_predictor(traces.has_points());
  calibrate::CalibrationOptions fitting = options;
  fitting.splits = !no_splits;
  if (isatty(fileno(stderr)) != 0) {
    fitting.progress = [](const std::string& line) { std::fprintf(stderr, "%s\n", line.c_str()); };
  }
  calibrate::Calibration result =
      calibrate::calibrate(rows.records, traces.timelines, plan, simulator, fitting);
  for (const auto& [reason, count] : rows.skipped) result.skipped[reason] += count;
  result.profile.fitted_command = command_line();
  result.profile.name = name.empty() ? std::filesystem::path(out).stem().string() : name;
  std::vector<calibrate::NextMeasurement> runs;
  if (next > 0) {
    runs = calibrate::next_measurements(result.profile, next_candidates(rows.records, grid),
                                        simulator, static_cast<std::size_t>(next),
                                        options.noise_pct, options.threads);
  }
  hw::write_profile(result.profile, out);
  if (json) {
    print_json(to_json(result, runs));
  } else {
    print(result);
    print(runs);
    std::printf("\nwrote %s\n", out.c_str());
  }
  return 0;
}

}  // namespace

std::pair<CLI::App*, Runner> add_calibrate_verb(CLI::App& app) {
  CLI::App* verb = app.add_subcommand("calibrate", kHelp);
  verb->footer(kExamples);
  auto command = std::make_shared<CalibrateCommand>();
  calibrate::CalibrationOptions& options = command->options;
  command->records.add_to(*verb);
  verb->add_option("--timelines", command->timelines,
                   "Kernel timelines or durations to fit as well, one JSON object a kernel")
      ->type_name("FILE");
  verb->add_option("--profile", command->profile,
                   "Where to start: a path, or a name in hw/profiles")
      ->required();
  verb->add_option("--out", command->out, "The profile to write")->type_name("FILE")->required();
  verb->add_option("--name", command->name, "Name of the new profile (default: its file's)");
  verb->add_option("--free", command->changes.free,
                   "Fit NAME, from a prior, within a factor (one standard deviation)")
      ->type_name("NAME[=PRIOR][~FACTOR]");
  verb->add_option("--fix-parameter", command->changes.fixed, "Do not fit NAME")
      ->type_name("NAME[=VALUE]");
  verb->add_option("--tie", command->changes.tied, "NAME takes the value of OTHER, which is free")
      ->type_name("NAME=OTHER");
  verb->add_option("--noise", options.noise_pct, "Run-to-run noise of a row in percent")
      ->check(CLI::Range(0.001, 100.0))
      ->capture_default_str();
  verb->add_option("--robust-at", options.robust_at,
                   "Residuals beyond this many times the noise count linearly")
      ->check(CLI::Range(0.1, 1e6))
      ->capture_default_str();
  verb->add_option("--timeline-rows", options.timeline_rows,
                   "All kernel times of a trace weigh like so many rows")
      ->check(CLI::Range(0.0, 1e6))
      ->capture_default_str();
  verb->add_option("--starts", options.starts,
                   "Searches, from the profile's values and from draws of the priors")
      ->check(CLI::Range(1, 1000))
      ->capture_default_str();
  verb->add_option("--iterations", options.iterations, "Of each of the best searches")
      ->check(CLI::Range(1, 1000))
      ->capture_default_str();
  verb->add_option("--members", options.members, "Of the ensemble, at most")
      ->check(CLI::Range(1, 100))
      ->capture_default_str();
  verb->add_option("--threads", options.threads, "Does not change the result")
      ->check(CLI::Range(1, 256))
      ->capture_default_str();
  verb->add_flag("--no-splits", command->no_splits, "No held-out errors: much faster");
  verb->add_option("--next", command->next, "Propose this many measurements")
      ->check(CLI::Range(1, 1000));
  verb->add_option("--grid", command->grid,
                   "Runs that --next may propose, as 'transport_sms=8:64:8,sources=1|2,tokens=1'")
      ->type_name("FIELDS");
  verb->add_flag("--json", command->json, "One JSON object on stdout");
  return {verb, [command] { return command->run(); }};
}

}  // namespace fanin::experiments
