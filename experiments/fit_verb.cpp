// fanin fit: latency laws from measurements, and which hypothesis they support.
#include <algorithm>
#include <cmath>
#include <map>
#include <memory>
#include <set>
#include <string_view>

#include "fanin/calibrate/law_predictor.hpp"
#include "fanin/hw/atomic_file.hpp"
#include "fanin/hw/error.hpp"
#include "fit_report.hpp"
#include "law_flags.hpp"
#include "record_flags.hpp"
#include "verb.hpp"

namespace fanin::experiments {
namespace {

constexpr const char* kHelp =
    "Fits latency laws T = f(channels C, sources S, tokens T, SMs n) to measurements: estimates "
    "with "
    "95% intervals, errors in sample, left out and held out, and a verdict between the "
    "hypotheses.\n"
    "A law that the rows cannot determine is refused, with the parameters that they cannot tell.";

constexpr const char* kExamples =
    "Examples:\n"
    "  fanin fit --where 'set=cross_node_sm_sweep_s1_s2|cross_node_sm_sweep_s3,tokens=1' \\\n"
    "            --holdout sources=3\n"
    "  fanin fit --records mine.jsonl --law competing_resources --save law.json\n"
    "  fanin fit --records table.csv --map median_us=dispatch_us --map ranks=ep_ranks\n"
    "  fanin fit --where 'path=hybrid,protocol=role,tokens=1' --next 3 \\\n"
    "            --grid 'transport_sms=8:64:8,sources=1|2|3|4,tokens=1'\n"
    "Exit code 0, or 2 when the input is bad or no law can be fitted.";

struct FitCommand {
  RecordFlags records;
  LawFlags fitting;
  std::vector<std::string> laws;
  std::string holdout;
  int next = 0;
  std::string grid;
  double noise_pct = 1.0;
  std::string save;
  bool rows = false;
  bool json = false;

  int run() const;
};

/// Where a row comes from: differs from row to row, and says nothing that a law could read.
constexpr std::string_view kProvenance[] = {"command", "commit", "data_valid", "driver",
                                            "id",      "set",    "version"};

/// Fields that no law reads, of what a record states: words and switches, and the numbers of the
/// configuration that laws leave out. A machine in words counts: rows of several are lumped.
bool unread(const std::string& field, const Json& value) {
  if (std::find(std::begin(kProvenance), std::end(kProvenance), field) != std::end(kProvenance))
    return false;
  if (value.is_string() || value.is_boolean()) return true;
  return field == "hidden" || field == "top_k" || field == "experts" || field == "gemm_solo_us";
}

/// Unread fields that vary: what the fits lump together. Looks at the first 5,000 rows.
std::vector<std::string> lumped(const std::vector<calibrate::Record>& records) {
  constexpr std::size_t kRows = 5000;
  std::map<std::string, std::set<std::string>> values;
  std::map<std::string, std::size_t> stated;
  const std::size_t count = std::min(records.size(), kRows);
  for (std::size_t i = 0; i < count; ++i) {
    const Json line = Json::parse(records[i].json);
    for (const auto& [field, value] : line.items()) {
      if (!unread(field, value)) continue;
      values[field].insert(value.dump());
      ++stated[field];
    }
  }
  std::vector<std::string> notes;
  for (const auto& [field, seen] : values) {
    const std::size_t kinds = seen.size() + (stated[field] < count ? 1 : 0);
    if (kinds < 2) continue;
    notes.push_back("rows differ in " + field + " (" + std::to_string(kinds) +
                    (stated[field] < count ? " values, none among them" : " values") +
                    "), which no law reads; --where selects");
  }
  const auto other_combine =
      std::count_if(records.begin(), records.end(), [](const calibrate::Record& record) {
        return record.exchange.ffn_combine_sms_used() != record.exchange.transport_sms;
      });
  if (other_combine > 0) {
    notes.push_back(std::to_string(other_combine) +
                    " rows have other SMs in combine than in dispatch; laws read transport_sms");
  }
  return notes;
}

/// Where the user bounds nothing: SMs in steps of 4 up to twice the largest of the rows, one source
/// more than they have, and their tokens.
calibrate::RunGrid default_grid(const calibrate::LawRows& rows) {
  double sms = 0.0;
  double sources = 0.0;
  std::set<double> tokens;
  for (const model::LawPoint& point : rows.points) {
    sms = std::max(sms, point.transport_sms);
    sources = std::max(sources, point.sources);
    tokens.insert(point.tokens);
  }
  calibrate::RunGrid grid;
  for (double n = 4.0; n <= std::min(2.0 * sms, 128.0); n += 4.0)
    grid["transport_sms"].push_back(n);
  for (double s = 1.0; s <= sources + 1.0; s += 1.0) grid["sources"].push_back(s);
  if (sources == 0.0) grid.erase("sources");
  if (*tokens.begin() > 0.0) grid["tokens"].assign(tokens.begin(), tokens.end());
  return grid;
}

int FitCommand::run() const {
  calibrate::RecordSet set = records.read();
  const std::size_t all = set.records.size();
  const std::vector<calibrate::Record> valid = valid_rows(set.records);
  if (valid.size() < all) set.skipped["data_valid is false"] = all - valid.size();

  calibrate::ContestOptions options;
  options.fit = fitting.options();
  for (const std::string& name : laws) options.laws.push_back(law_named(name));
  if (!holdout.empty()) options.holdout = calibrate::Where::parse(holdout);
  const calibrate::Contest contest = calibrate::contest(valid, options);

  FitReport report{contest, {}, {}, {}, lumped(valid), set.skipped, holdout, rows};
  std::vector<const calibrate::LawFit*> fits;
  for (const calibrate::Contestant& contestant : contest.laws) {
    fits.push_back(&contestant.fit);
    if (contestant.standing == calibrate::Standing::best ||
        contestant.standing == calibrate::Standing::stands) {
      report.separated.push_back(&contestant.fit);
    }
  }
  report.slopes = calibrate::channel_slopes(contest.rows, fits);
  if (next > 0 && !report.separated.empty()) {
    const calibrate::RunGrid points =
        grid.empty() ? default_grid(contest.rows) : calibrate::parse_grid(grid);
    report.next = calibrate::next_runs(report.separated, contest.rows, points,
                                       static_cast<std::size_t>(next), noise_pct);
  }
  if (!save.empty()) {
    const calibrate::Contestant& kept = contest.laws[contest.best.value_or(0)];
    write_file(save, calibrate::to_json(calibrate::LawPredictor::of(contest, kept)));
  }
  if (json) {
    print_json(to_json(report));
  } else {
    print(report);
    if (!save.empty()) {
      std::printf("\nsaved %s to %s\n",
                  std::string(contest.laws[contest.best.value_or(0)].fit.law->name).c_str(),
                  save.c_str());
    }
  }
  return 0;
}

}  // namespace

std::pair<CLI::App*, Runner> add_fit_verb(CLI::App& app) {
  CLI::App* verb = app.add_subcommand("fit", kHelp);
  verb->footer(kExamples);
  auto command = std::make_shared<FitCommand>();
  command->records.add_to(*verb);
  verb->add_option("--law", command->laws, "Only these laws (default: all that read what varies)")
      ->type_name("NAME");
  verb->add_option("--holdout", command->holdout,
                   "Rows that a second fit does not see, as --where; the verdict then goes by the "
                   "worst of them, else by leave-one-out")
      ->type_name("CLAUSES");
  command->fitting.add_to(*verb);
  verb->add_option("--next", command->next,
                   "Propose this many runs that would best tell the laws that stand apart")
      ->check(CLI::Range(1, 1000));
  verb->add_option("--grid", command->grid,
                   "Runs that --next may propose, as 'transport_sms=8:64:8,sources=1|2|3,tokens=1' "
                   "(default: from the rows)")
      ->type_name("FIELDS");
  verb->add_option("--noise", command->noise_pct,
                   "Standard deviation of one measurement in percent, for --next")
      ->check(CLI::Range(0.001, 100.0))
      ->capture_default_str();
  verb->add_option("--save", command->save,
                   "Write the best law (or the only one of --law) as JSON, for check and advise")
      ->type_name("FILE");
  verb->add_flag("--rows", command->rows, "Also the error of every row");
  verb->add_flag("--json", command->json, "One JSON object on stdout");
  return {verb, [command] { return command->run(); }};
}

}  // namespace fanin::experiments
