// fanin check: predicted against measured.
#include <cmath>
#include <memory>
#include <optional>

#include "check_result.hpp"
#include "fanin/hw/error.hpp"
#include "law_flags.hpp"
#include "law_source.hpp"
#include "record_flags.hpp"
#include "verb.hpp"

namespace fanin::experiments {
namespace {

constexpr const char* kHelp =
    "Predicts measured rows and shows the errors: per row, per set and overall. Rows that the "
    "predictor was fitted on are marked fitted, rows outside of them extrapolated.";

constexpr const char* kExamples =
    "Examples:\n"
    "  fanin check --where 'path=hybrid,protocol=role,tokens=1' --law competing_resources \\\n"
    "              --fit-where 'path=hybrid,protocol=role,tokens=1,sources<=2'\n"
    "  fanin check --records mine.jsonl --law law.json --only held-out --fail-above 5\n"
    "Exit code 0; 1 when --fail-above is exceeded; 2 when the input is bad.";

struct CheckCommand {
  RecordFlags records;
  LawFlags fitting;
  std::string law;
  std::optional<std::string> fit_where;
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
    result.rows.push_back({record.id, record.set, record.median_us, prediction.us, prediction.ci95,
                           fitted, !fitted && !prediction.outside.empty(),
                           fitted ? std::vector<std::string>{} : prediction.outside,
                           record.data_valid});
  }
  return result;
}

int CheckCommand::run() const {
  if (law.empty()) {
    throw InputError("--law", "is missing, and this build cannot predict with a profile yet",
                     "--law NAME or --law FILE");
  }
  const calibrate::LawPredictor predictor = law_predictor();
  CheckResult result = check_law(records.read(), predictor);
  if (only == "held-out") {
    std::erase_if(result.rows, [](const CheckedRow& row) { return row.fitted; });
  }
  if (json) {
    print_json(to_json(result));
  } else {
    print(result, std::string(predictor.law->name) + ": " + std::string(predictor.law->formula));
  }
  if (!fail_above) return 0;
  const ErrorSummary all = result.all();
  if (all.n == 0) throw InputError("--fail-above", "no row could be predicted", "at least one");
  return all.max_abs_pct > *fail_above ? 1 : 0;
}

}  // namespace

std::pair<CLI::App*, Runner> add_check_verb(CLI::App& app) {
  CLI::App* verb = app.add_subcommand("check", kHelp);
  verb->footer(kExamples);
  auto command = std::make_shared<CheckCommand>();
  command->records.add_to(*verb);
  verb->add_option("--law", command->law,
                   "Predict with this law: a name (fitted now, see --fit-where) or a file that "
                   "`fanin fit --save` wrote")
      ->type_name("NAME|FILE");
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
  verb->add_flag("--json", command->json, "One JSON object on stdout");
  return {verb, [command] { return command->run(); }};
}

}  // namespace fanin::experiments
