// fanin fixes: what each protocol change would save, and what it needs.
#include <memory>

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
    "Predicts what the nine protocol fixes save on an exchange, over all parameter sets that the "
    "profile "
    "allows: saving, interval, operations removed, what then bounds the exchange, what each needs, "
    "and "
    "whether the safety explorer finds it safe. Comma-separated --sources and --transport-sms span "
    "a grid.";

constexpr const char* kExamples =
    "Examples:\n"
    "  fanin fixes --sources 3 --transport-sms 24 --tokens 1\n"
    "  fanin fixes --sources 1,2,3 --transport-sms 16,24,48 --tokens 1 --json\n"
    "  fanin fixes --sources 3 --fix 4 8          the combination 4+8 alone";

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
  json["roles_only"] = row.roles_only;
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

/// Operations that the fix takes off the FFN's NIC, in and out.
std::string removed_text(const FixRow& row) {
  const auto sum = [&](const char* side) {
    std::int64_t total = 0;
    for (const auto& [resource, counts] : row.operations_removed) {
      if (resource.find(side) == std::string::npos) continue;
      for (const auto& [kind, count] : counts) total += count;
    }
    return total;
  };
  return std::to_string(sum("ffn.nic.inbound")) + " / " + std::to_string(sum("ffn.nic.outbound"));
}

void add_row(Table& table, const FixRow& row) {
  table.row({row.fix, fixed(row.saving_us, 2),
             "[" + fixed(row.saving_ci95[0], 2) + ", " + fixed(row.saving_ci95[1], 2) + "]",
             row.authors_us ? fixed(*row.authors_us, 1) : "-", removed_text(row), row.bound,
             row.wire_visible ? "yes" : "no", row.roles_only ? "role" : "any",
             row.safe ? "yes" : "NO"});
}

void print(const Configuration& configuration) {
  const model::Exchange& exchange = configuration.exchange;
  const FixStudy& study = configuration.study;
  std::printf("S = %d, %d SMs, T = %d: baseline %s us, bound most by %s\n", exchange.sources(),
              exchange.transport_sms, exchange.tokens, fixed(study.baseline_us, 2).c_str(),
              study.baseline_bound.c_str());
  Table table({"fix", "saves us", "95%", "authors", "FFN NIC ops in / out", "then bound by",
               "on wire", "protocol", "safe"},
              "lrrrrllll");
  for (const FixRow& row : study.rows) add_row(table, row);
  if (study.best) add_row(table, *study.best);
  table.print();
  if (study.best) {
    std::printf("best combination: %s, %s us\n", study.best->fix.c_str(),
                fixed(study.best->exchange_us, 2).c_str());
  }
  for (const FixRow& row : study.rows) {
    if (row.why.empty()) continue;
    std::printf("fix %s: authors %s, here %s us: %s. To tell: %s.\n", row.fix.c_str(),
                fixed(*row.authors_us, 1).c_str(), fixed(row.saving_us, 1).c_str(), row.why.c_str(),
                std::string(model::fix_info(row.fixes[0].number).experiment).c_str());
  }
  std::printf("\n");
}

void judge(FixRow& row, model::safety::VerdictCache& verdicts) {
  const model::safety::Verdict& verdict = verdicts.verdict(row.fixes);
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
    for (FixRow& row : configuration.study.rows) judge(row, verdicts);
    if (configuration.study.best) judge(*configuration.study.best, verdicts);
    configurations.push_back(std::move(configuration));
  }
  if (!json) {
    for (const Configuration& configuration : configurations) print(configuration);
    return 0;
  }
  Json object;
  object["rows"] = Json::array();
  object["best"] = Json::array();
  for (const Configuration& configuration : configurations) {
    const FixStudy& study = configuration.study;
    for (const FixRow& row : study.rows) {
      object["rows"].push_back(to_json(row, configuration.exchange, study.baseline_us));
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
