// fanin fixes: what each protocol change would save, and what it needs.
#include <cstdint>
#include <memory>
#include <set>
#include <string>
#include <utility>
#include <vector>

#include "exchange_flags.hpp"
#include "fanin/model/fixes.hpp"
#include "fanin/model/safety.hpp"
#include "fix_study.hpp"
#include "output.hpp"
#include "table.hpp"
#include "verb.hpp"

namespace fanin::experiments {
namespace {

constexpr const char* kHelp =
    "Predicts what the protocol fixes save on an exchange, over all parameter sets that the "
    "profile "
    "allows: saving, interval, operations removed, what then bounds the exchange, what each needs, "
    "and whether the safety explorer finds it safe. Comma-separated --sources and --transport-sms "
    "span a grid. Fixes 10 to 13 are for stock kernels (--preset deepep-v2) whose GPUs have roles.";

constexpr const char* kExamples =
    "Examples:\n"
    "  fanin fixes --sources 3 --transport-sms 24 --tokens 1\n"
    "  fanin fixes --sources 1,2,3 --transport-sms 16,24,48 --tokens 1 --json\n"
    "  fanin fixes --sources 3 --fix 4 8          the combination 4+8 alone\n"
    "  fanin fixes --preset deepep-v2 --tokens 1  stock kernels, with 10 to 13";

struct FixesCommand {
  ExchangeFlags exchange;
  bool json = false;
  int run() const;
};

struct Configuration {
  model::Exchange exchange;
  FixStudy study;
};

Json to_json(const FixRow& row, const model::Exchange& exchange, double baseline_us) {
  Json json;
  json["fix"] = row.fix;
  json["sources"] = exchange.sources();
  json["transport_sms"] = exchange.transport_sms;
  json["tokens"] = exchange.tokens;
  json["baseline_us"] = baseline_us;
  json["exchange_us"] = row.exchange_us;
  json["saving_us"] = row.saving_us;
  json["saving_ci95"] = row.saving_ci95;
  json["operations_removed"] = row.operations_removed;
  json["bound"] = row.bound;
  json["wire_visible"] = row.wire_visible;
  json["roles_only"] = row.scope == model::FixScope::role;
  json["protocol"] = std::string(to_string(row.scope));
  std::string needs;
  for (const model::Fix& fix : row.fixes) {
    needs += (needs.empty() ? "" : "; ") + std::string(model::fix_info(fix.number).needs);
  }
  json["needs"] = needs;
  if (row.authors_us) json["authors_us"] = *row.authors_us;
  if (!row.why.empty()) json["why"] = row.why;
  if (row.fixes.size() == 1) json["experiment"] = model::fix_info(row.fixes[0].number).experiment;
  json["safe"] = row.safe;
  json["exhausted"] = row.exhausted;
  return json;
}

/// "A out 191, FFN in 573": operations that the fix takes off each NIC in one phase; "573 inline"
/// where fetch-adds became inline WRITEs.
std::string removed_text(const FixRow& row, model::Phase phase) {
  using model::NicSide;
  constexpr std::pair<NicSide, const char*> kNics[] = {{NicSide::attention_outbound, "A out"},
                                                       {NicSide::ffn_inbound, "FFN in"},
                                                       {NicSide::ffn_outbound, "FFN out"},
                                                       {NicSide::attention_inbound, "A in"}};
  std::string text;
  for (const auto& [side, name] : kNics) {
    const auto counts = row.operations_removed.find(model::resource_name(side, phase));
    if (counts == row.operations_removed.end()) continue;
    std::int64_t total = 0;
    for (const auto& [kind, count] : counts->second) total += count;
    text += (text.empty() ? "" : ", ") + std::string(name) + " ";
    const auto inlined = counts->second.find(std::string(to_string(model::Verb::inline_write)));
    text += total == 0 && inlined != counts->second.end()
                ? std::to_string(-inlined->second) + " inline"
                : std::to_string(total);
  }
  return text.empty() ? "-" : text;
}

std::string safe_text(const FixRow& row) {
  if (!row.safe) return "NO";
  return row.exhausted ? "yes" : "not proved";
}

void add_row(Table& table, const FixRow& row) {
  table.row({row.fix, fixed(row.saving_us, 2),
             "[" + fixed(row.saving_ci95[0], 2) + ", " + fixed(row.saving_ci95[1], 2) + "]",
             row.authors_us ? fixed(*row.authors_us, 1) : "-",
             removed_text(row, model::Phase::dispatch), removed_text(row, model::Phase::combine),
             row.bound, row.wire_visible ? "yes" : "no", std::string(to_string(row.scope)),
             safe_text(row)});
}

void print(const Configuration& configuration) {
  const model::Exchange& exchange = configuration.exchange;
  const FixStudy& study = configuration.study;
  std::printf("S = %d, %d SMs, T = %d: baseline %s us, bound most by %s\n", exchange.sources(),
              exchange.transport_sms, exchange.tokens, fixed(study.baseline_us, 2).c_str(),
              study.baseline_bound.c_str());
  Table table({"fix", "saves us", "95%", "authors", "fewer in dispatch", "fewer in combine",
               "then bound by", "on wire", "protocol", "safe"},
              "lrrrllllll");
  for (const FixRow& row : study.rows) add_row(table, row);
  if (study.best) add_row(table, *study.best);
  table.print();
  if (study.best) {
    std::printf("best combination: %s, %s us\n", study.best->fix.c_str(),
                fixed(study.best->exchange_us, 2).c_str());
  }
  for (const RefusedFixes& refused : study.refused) {
    std::string names;
    for (const std::string& fix : refused.fixes) names += (names.empty() ? "" : ", ") + fix;
    std::printf("refused: %s: %s\n", names.c_str(), refused.reason.c_str());
  }
  for (const FixRow& row : study.rows) {
    if (row.why.empty()) continue;
    std::printf("fix %s: authors %s, here %s us: %s. To tell: %s.\n", row.fix.c_str(),
                fixed(*row.authors_us, 1).c_str(), fixed(row.saving_us, 1).c_str(), row.why.c_str(),
                std::string(model::fix_info(row.fixes[0].number).experiment).c_str());
  }
  std::printf("\n");
}

/// What the fixes of these rows are and need, one line a fix.
void print_needs(const std::vector<Configuration>& configurations) {
  std::set<int> numbers;
  for (const Configuration& configuration : configurations) {
    for (const FixRow& row : configuration.study.rows) {
      for (const model::Fix& fix : row.fixes) numbers.insert(fix.number);
    }
  }
  std::printf("What each is and needs:\n");
  for (const int number : numbers) {
    const model::FixInfo& info = model::fix_info(number);
    std::printf("  %2d  %s: %s. Needs %s.\n", number, std::string(info.name).c_str(),
                std::string(info.change).c_str(), std::string(info.needs).c_str());
  }
}

void judge(FixRow& row, const model::Exchange& exchange, model::safety::VerdictCache& verdicts) {
  const model::safety::Verdict& verdict = verdicts.verdict(row.fixes, exchange.protocol);
  row.safe = verdict.safe();
  row.exhausted = verdict.exhausted;
}

int FixesCommand::run() const {
  model::safety::VerdictCache verdicts;
  std::vector<Configuration> configurations;
  for (const ExchangeSettings& settings : exchange.grid()) {
    Configuration configuration;
    configuration.exchange = settings.exchange();
    std::vector<std::vector<model::Fix>> only;
    if (!configuration.exchange.fixes.empty()) only.push_back(configuration.exchange.fixes);
    configuration.study = study_fixes(configuration.exchange, settings.profile(), only);
    for (FixRow& row : configuration.study.rows) judge(row, configuration.exchange, verdicts);
    if (configuration.study.best)
      judge(*configuration.study.best, configuration.exchange, verdicts);
    configurations.push_back(std::move(configuration));
  }
  if (!json) {
    for (const Configuration& configuration : configurations) print(configuration);
    print_needs(configurations);
    return 0;
  }
  Json object;
  object["rows"] = Json::array();
  object["best"] = Json::array();
  object["refused"] = Json::array();
  for (const Configuration& configuration : configurations) {
    const FixStudy& study = configuration.study;
    for (const FixRow& row : study.rows) {
      object["rows"].push_back(to_json(row, configuration.exchange, study.baseline_us));
    }
    for (const RefusedFixes& refused : study.refused) {
      for (const std::string& fix : refused.fixes)
        object["refused"].push_back({{"fix", fix},
                                     {"sources", configuration.exchange.sources()},
                                     {"transport_sms", configuration.exchange.transport_sms},
                                     {"reason", refused.reason}});
    }
    if (study.best)
      object["best"].push_back(to_json(*study.best, configuration.exchange, study.baseline_us));
  }
  print_json(object);
  return 0;
}

}  // namespace

std::pair<CLI::App*, Runner> add_fixes_verb(CLI::App& app) {
  auto command = std::make_shared<FixesCommand>();
  CLI::App* verb = app.add_subcommand("fixes", kHelp);
  command->exchange.add_to(*verb, true);
  verb->add_flag("--json", command->json, "One JSON object on stdout");
  verb->footer(kExamples);
  return {verb, [command] { return command->run(); }};
}

}  // namespace fanin::experiments
