// fanin advise: how many transport SMs for an A:F ratio and a token mix.
#include <algorithm>
#include <memory>
#include <set>

#include "advice_table.hpp"
#include "advise_sources.hpp"
#include "fanin/hw/error.hpp"
#include "law_flags.hpp"
#include "law_source.hpp"
#include "profile_check.hpp"
#include "ratio.hpp"
#include "record_flags.hpp"
#include "verb.hpp"

namespace fanin::experiments {
namespace {

constexpr const char* kHelp =
    "Transport SMs for an A:F ratio and a token mix: the fastest, the fewest within a tolerance of "
    "it, and the best beside a compute load (--gemm-solo-us), with reasons. Predicted by the "
    "simulator with a profile, or by a law.";

constexpr const char* kExamples =
    "Examples:\n"
    "  fanin advise --ratio 3:1 --tokens 1\n"
    "  fanin advise --path nvlink --ratio 3:1 --tokens 8,128 --token-shares 0.7,0.3 --tolerance 3\n"
    "  fanin advise --ratio 2:1 --tokens 128 --gemm-solo-us 25\n"
    "  fanin advise --ratio 1:1,2:1,3:1,5:1 --tokens 1,8,128,512 --each\n"
    "  fanin advise --ratio 3:1 --tokens 1 --law competing_resources \\\n"
    "      --where 'set=cross_node_sm_sweep_s1_s2|cross_node_sm_sweep_s3,tokens=1'\n"
    "  fanin advise --ratio 2:1 --law law.json --transport-sms 8,16,24,32\n"
    "Exit code 0, or 2 when the input is bad.";

struct AdviseCommand {
  ExchangeFlags exchange;
  RecordFlags records;
  LawFlags fitting;
  std::string law;
  std::vector<std::string> ratios;
  bool each = false;
  std::vector<double> token_shares;
  double tolerance_pct = 2.0;
  bool json = false;

  int run() const;
  Advice advise(const std::vector<calibrate::Record>& known, const std::vector<MixPart>& mix,
                std::vector<int> candidates, std::string& predictor) const;
  std::vector<AdvisedCase> advise_each(const std::vector<calibrate::Record>& known,
                                       std::string& predictor) const;
};

void apply_ratio(const std::string& text, ExchangeSettings& settings) {
  for (const char* flag : {"sources", "attention-ranks", "ffn-ranks"}) {
    if (settings.has(flag))
      throw InputError("--ratio", "given beside --" + std::string(flag), "one of the two");
  }
  const Ratio ratio = parse_ratio(text);
  int unit = 1;
  if (settings.text("path", "hybrid") != "nvlink") {
    ExchangeSettings domain;
    domain.set("gpus-per-domain", settings.text("gpus-per-domain", "4"));
    domain.set("ffn-ranks", settings.text("gpus-per-domain", "4"));
    domain.set("attention-ranks", settings.text("gpus-per-domain", "4"));
    unit = domain.exchange().gpus_per_domain;
  }
  settings.set("ffn-ranks", std::to_string(ratio.ffn * unit));
  settings.set("attention-ranks", std::to_string(ratio.attention * unit));
}

/// The parts of the mix, one for each --tokens; the candidates of --transport-sms go to `sms`.
std::vector<MixPart> mix_of(const AdviseCommand& command, const std::string& ratio,
                            std::vector<int>& sms) {
  std::vector<MixPart> mix;
  std::set<std::string> tokens;
  std::set<int> candidates;
  const std::vector<ExchangeSettings> grid = command.exchange.grid();
  for (ExchangeSettings settings : grid) {
    if (!ratio.empty()) apply_ratio(ratio, settings);
    if (settings.has("transport-sms")) candidates.insert(settings.exchange().transport_sms);
    if (tokens.insert(settings.text("tokens", "1")).second) mix.push_back({settings, 1.0});
  }
  if (grid.size() != tokens.size() * std::max<std::size_t>(candidates.size(), 1)) {
    throw InputError("command line", "several values of a flag that makes another exchange",
                     "lists for --tokens and --transport-sms only");
  }
  sms.assign(candidates.begin(), candidates.end());
  if (!command.token_shares.empty() && command.token_shares.size() != mix.size()) {
    throw InputError("--token-shares",
                     std::to_string(command.token_shares.size()) + " for " +
                         std::to_string(mix.size()) + " token counts",
                     "one each");
  }
  double sum = 0.0;
  for (std::size_t i = 0; i < mix.size(); ++i) {
    if (!command.token_shares.empty()) mix[i].share = command.token_shares[i];
    sum += mix[i].share;
  }
  for (MixPart& part : mix) part.share /= sum;
  return mix;
}

Advice AdviseCommand::advise(const std::vector<calibrate::Record>& known,
                             const std::vector<MixPart>& mix, std::vector<int> candidates,
                             std::string& predictor) const {
  if (law.empty()) {
    const hw::Profile profile = mix.front().settings.profile();
    if (candidates.empty()) candidates = default_candidates();
    predictor = "the simulator with profile " + profile.name;
    return advise_from_profile(profile, known, mix, candidates, tolerance_pct);
  }
  const calibrate::LawPredictor fitted =
      is_law_file(law) ? calibrate::read_law_predictor(law)
                       : fit_now(law, records.read().records, fitting.options());
  if (candidates.empty()) candidates = candidates_of(fitted.domain);
  predictor = std::string(fitted.law->name) + ": " + std::string(fitted.law->formula);
  return advise_from_law(fitted, mix, candidates, tolerance_pct);
}

std::vector<AdvisedCase> AdviseCommand::advise_each(const std::vector<calibrate::Record>& known,
                                                    std::string& predictor) const {
  std::vector<AdvisedCase> cases;
  for (const std::string& ratio : ratios.empty() ? std::vector<std::string>{""} : ratios) {
    std::vector<int> candidates;
    for (MixPart part : mix_of(*this, ratio, candidates)) {
      part.share = 1.0;
      cases.push_back(
          {ratio, part.settings.text("tokens", "1"), advise(known, {part}, candidates, predictor)});
    }
  }
  return cases;
}

int AdviseCommand::run() const {
  std::string predictor;
  std::vector<calibrate::Record> known;
  if (law.empty()) known = recorded_rows();
  if (each) {
    if (!token_shares.empty())
      throw InputError("--token-shares", "given beside --each", "one of the two");
    const std::vector<AdvisedCase> cases = advise_each(known, predictor);
    if (json) {
      print_json(to_json(cases));
    } else {
      print(cases, predictor);
    }
    return 0;
  }
  if (ratios.size() > 1) throw InputError("--ratio", "several without --each", "one A:F");
  std::vector<int> candidates;
  const std::vector<MixPart> mix = mix_of(*this, ratios.empty() ? "" : ratios.front(), candidates);
  const Advice advice = advise(known, mix, candidates, predictor);
  if (json) {
    print_json(to_json(advice));
  } else {
    print(advice, predictor);
  }
  return 0;
}

}  // namespace

std::pair<CLI::App*, Runner> add_advise_verb(CLI::App& app) {
  CLI::App* verb = app.add_subcommand("advise", kHelp);
  verb->footer(kExamples);
  auto command = std::make_shared<AdviseCommand>();
  verb->add_option(
          "--ratio", command->ratios,
          "Attention:FFN, in domains (hybrid, direct) or GPUs (nvlink); several with --each")
      ->delimiter(',')
      ->type_name("A:F");
  verb->add_flag("--each", command->each,
                 "Advise for each of --ratio and each of --tokens, one row a case, instead of "
                 "for the mix of --tokens");
  verb->add_option("--token-shares", command->token_shares,
                   "Share of the exchanges with each of --tokens (default: equal)")
      ->delimiter(',')
      ->check(CLI::PositiveNumber);
  verb->add_option("--tolerance", command->tolerance_pct,
                   "Percent that the thrifty choice may be slower than the fastest")
      ->check(CLI::Range(0.0, 1000.0))
      ->capture_default_str();
  CLI::Option* law =
      verb->add_option("--law", command->law,
                       "Predict with this law: a name (fitted now to --records and --where) or a "
                       "file that `fanin fit --save` wrote")
          ->type_name("NAME|FILE");
  command->records.add_to(*verb);
  command->fitting.add_to(*verb);
  command->exchange.add_to(*verb, true);
  law->excludes(verb->get_option("--profile"));
  verb->add_flag("--json", command->json, "One JSON object on stdout");
  return {verb, [command] { return command->run(); }};
}

}  // namespace fanin::experiments
