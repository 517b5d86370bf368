// fanin check: predicted against measured.
#include <cmath>
#include <limits>
#include <memory>
#include <optional>

#include "check_result.hpp"
#include "fanin/hw/error.hpp"
#include "goals.hpp"
#include "law_flags.hpp"
#include "law_source.hpp"
#include "profile_check.hpp"
#include "record_flags.hpp"
#include "timeline_check.hpp"
#include "verb.hpp"

namespace fanin::experiments {
namespace {

constexpr const char* kHelp =
    "Predicts measured rows and shows the errors: per row, per set and overall. Each row is "
    "predicted by the simulator with the profile that its `cluster` names, unless --profile or "
    "--law says otherwise. Rows that the predictor was fitted on are marked fitted, rows outside "
    "of "
    "them extrapolated.";

constexpr const char* kExamples =
    "Examples:\n"
    "  fanin check --where 'cluster=h100-4x-cx7-ndr400' --fail-above 6\n"
    "  fanin check --records mine.jsonl --profile mine.json --only held-out\n"
    "  fanin check --where 'path=hybrid,protocol=role,tokens=1' --law competing_resources \\\n"
    "              --fit-where 'path=hybrid,protocol=role,tokens=1,sources<=2'\n"
    "  fanin check --timelines experiments/recorded/seed/kernel_timelines.jsonl\n"
    "  fanin check --goals --bench bench.json   (build/fanin_bench --benchmark_out=bench.json)\n"
    "Exit code 0; 1 when --fail-above is exceeded or a measured goal is missed; 2 when the input "
    "is "
    "bad.";

struct CheckCommand {
  RecordFlags records;
  LawFlags fitting;
  std::string law;
  std::optional<std::string> fit_where;
  std::string profile;
  std::vector<std::string> timelines;
  bool goals = false;
  std::string bench;
  std::string only;
  std::optional<double> fail_above;
  bool json = false;

  int run() const;
  calibrate::LawPredictor law_predictor() const;
};

calibrate::LawPredictor CheckCommand::law_predictor() const {
  if (is_law_file(law)) return calibrate::read_law_predictor(law);
  RecordFlags fitted = records;
  if (fit_where) fitted.where = *fit_where;
  return fit_now(law, fitted.read().records, fitting.options());
}

CheckResult check_law(const calibrate::RecordSet& set, const calibrate::LawPredictor& predictor) {
  CheckResult result{{}, set.skipped};
  for (const calibrate::Record& record : set.records) {
    const auto missing = calibrate::missing_fields(*predictor.law, {record});
    if (!missing.empty()) {
      ++result.skipped["no " + missing.begin()->first];
      continue;
    }
    const calibrate::LawPrediction prediction = predictor.predict(record);
    const bool fitted = predictor.fitted_on(record.id);
    constexpr double kNone = std::numeric_limits<double>::quiet_NaN();
    result.rows.push_back({record.id,
                           record.set,
                           record.median_us,
                           prediction.us,
                           prediction.ci95,
                           {kNone, kNone},
                           fitted,
                           !fitted && !prediction.outside.empty(),
                           fitted ? std::vector<std::string>{} : prediction.outside,
                           record.data_valid});
  }
  return result;
}

int run_goals(const CheckCommand& command) {
  Figures figures = accuracy_figures();
  if (!command.bench.empty()) figures.merge(speed_figures(command.bench));
  const std::vector<GoalLine> lines = compare(figures);
  if (command.json) {
    print_json(to_json(lines));
  } else {
    print(lines);
  }
  return all_met(lines) ? 0 : 1;
}

int run_timelines(const CheckCommand& command) {
  const TimelineCheck check = check_timelines(command.timelines, command.profile);
  if (command.fail_above && check.kernels.empty()) {
    throw InputError("--fail-above", "no kernel could be predicted", "at least one");
  }
  if (command.json) {
    print_json(to_json(check));
  } else {
    print(check);
  }
  return command.fail_above && check.median_abs_pct() > *command.fail_above ? 1 : 0;
}

int CheckCommand::run() const {
  if (goals) return run_goals(*this);
  if (!timelines.empty()) return run_timelines(*this);
  CheckResult result;
  std::string predictor;
  if (law.empty()) {
    result = check_profiles(records.read(), recorded_rows(), {profile, 0});
    predictor = profile.empty() ? "the profile of each row's cluster" : "profile " + profile;
  } else {
    const calibrate::LawPredictor fitted = law_predictor();
    result = check_law(records.read(), fitted);
    predictor = std::string(fitted.law->name) + ": " + std::string(fitted.law->formula);
  }
  if (only == "held-out") {
    std::erase_if(result.rows, [](const CheckedRow& row) { return row.fitted; });
  }
  const ErrorSummary all = result.all();
  if (fail_above && all.n == 0) {
    throw InputError("--fail-above", "no row could be predicted", "at least one");
  }
  if (json) {
    print_json(to_json(result));
  } else {
    print(result, predictor);
  }
  return fail_above && all.max_abs_pct > *fail_above ? 1 : 0;
}

}  // namespace

std::pair<CLI::App*, Runner> add_check_verb(CLI::App& app) {
  CLI::App* verb = app.add_subcommand("check", kHelp);
  verb->footer(kExamples);
  auto command = std::make_shared<CheckCommand>();
  command->records.add_to(*verb);
  CLI::Option* profile = verb->add_option("--profile", command->profile,
                                          "Predict every row with this profile: a path, or a name "
                                          "in hw/profiles (default: by the row's cluster)")
                             ->type_name("NAME|FILE");
  CLI::Option* law =
      verb->add_option("--law", command->law,
                       "Predict with this law: a name (fitted now, see --fit-where) or a file that "
                       "`fanin fit --save` wrote")
          ->type_name("NAME|FILE");
  law->excludes(profile);
  verb->add_option(
          "--fit-where", command->fit_where,
          "Rows that a law given by name is fitted on, as --where (default: those checked)")
      ->type_name("CLAUSES");
  command->fitting.add_to(*verb);
  verb->add_option("--only", command->only,
                   "held-out: leave out rows that the predictor was fitted on")
      ->check(CLI::IsMember({"held-out"}));
  verb->add_option("--fail-above", command->fail_above,
                   "Exit with 1 when the worst row is off by more than this many percent")
      ->type_name("PERCENT");
  verb->add_option(
          "--timelines", command->timelines,
          "Compare kernel starts and ends of these traces instead of rows; --fail-above then "
          "is percent of the period, median")
      ->type_name("FILE");
  CLI::Option* goals =
      verb->add_flag("--goals", command->goals,
                     "Every accuracy and speed goal with the figure reached, or 'not measured'");
  verb->add_option("--bench", command->bench,
                   "Google Benchmark JSON that the speed goals are read from")
      ->type_name("FILE")
      ->needs(goals);
  verb->add_flag("--json", command->json, "One JSON object on stdout");
  return {verb, [command] { return command->run(); }};
}

}  // namespace fanin::experiments
