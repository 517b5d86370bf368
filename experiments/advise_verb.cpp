// fanin advise: how many transport SMs for an A:F ratio and a token mix.
#include <cmath>
#include <memory>

#include "advice.hpp"
#include "fanin/hw/error.hpp"
#include "law_flags.hpp"
#include "law_source.hpp"
#include "ratio.hpp"
#include "record_flags.hpp"
#include "table.hpp"
#include "verb.hpp"

namespace fanin::experiments {
namespace {

constexpr const char* kHelp =
    "Transport SMs for an A:F ratio and a token mix: the fastest, and the fewest within a "
    "tolerance "
    "of it, with reasons.";

constexpr const char* kExamples =
    "Examples:\n"
    "  fanin advise --ratio 3:1 --tokens 1 --law competing_resources \\\n"
    "      --where 'set=cross_node_sm_sweep_s1_s2|cross_node_sm_sweep_s3,tokens=1'\n"
    "  fanin advise --ratio 2:1 --law law.json --sms 8 16 24 32 --tolerance 3\n"
    "Exit code 0, or 2 when the input is bad.";

struct AdviseCommand {
  RecordFlags records;
  LawFlags fitting;
  std::string law;
  std::string ratio = "1:1";
  std::string tokens = "1";
  std::vector<int> sms;
  int channels_per_sm = 8;
  double tolerance_pct = 2.0;
  bool json = false;

  int run() const;
};

calibrate::LawPredictor predictor_of(const AdviseCommand& command) {
  if (is_law_file(command.law)) return calibrate::read_law_predictor(command.law);
  return fit_now(command.law, command.records.read().records, command.fitting.options());
}

/// Every fourth number within the SMs of the fitted rows, and both ends.
std::vector<int> candidates_of(const calibrate::LawDomain& domain) {
  const auto range = domain.ranges.find("transport_sms");
  if (range == domain.ranges.end()) {
    throw InputError("--sms", "is missing, and the fitted rows do not state transport_sms",
                     "--sms N…");
  }
  const int low = static_cast<int>(std::lround(range->second.first));
  const int high = static_cast<int>(std::lround(range->second.second));
  std::vector<int> candidates{low};
  for (int n = (low / 4 + 1) * 4; n < high; n += 4) candidates.push_back(n);
  if (high > low) candidates.push_back(high);
  return candidates;
}

/// One row: the mix's mean, its interval over the law's parameter sets, and where it extrapolates.
AdviceRow row_of(const calibrate::LawPredictor& predictor, model::LawPoint point, int sms,
                 const std::vector<TokenShare>& mix) {
  AdviceRow row;
  row.transport_sms = sms;
  row.ci95 = {0.0, 0.0};
  point.transport_sms = sms;
  for (const TokenShare& entry : mix) {
    point.tokens = entry.tokens;
    const calibrate::LawPrediction prediction = predictor.predict(point);
    row.us += entry.share * prediction.us;
    row.ci95[0] += entry.share * prediction.ci95[0];
    row.ci95[1] += entry.share * prediction.ci95[1];
    if (row.outside.empty()) row.outside = prediction.outside;
  }
  return row;
}

void add_reasons(Advice& advice, const calibrate::LawPredictor& predictor, model::LawPoint point,
                 const std::vector<TokenShare>& mix, double tolerance_pct) {
  const AdviceRow& fastest = advice.rows[advice.fastest];
  const AdviceRow& thrifty = advice.rows[advice.thrifty];
  if (advice.at_edge && advice.rows.size() > 1) {
    const bool low = advice.fastest == 0;
    const int step = advice.rows[1].transport_sms - advice.rows[0].transport_sms;
    const int beyond =
        low ? std::max(fastest.transport_sms - step, 1) : fastest.transport_sms + step;
    advice.reasons.push_back(
        "The fastest sits at the edge of the candidates: " + std::string(low ? "fewer" : "more") +
        " SMs may be faster still (the law says " +
        fixed(row_of(predictor, point, beyond, mix).us, 2) + " us at " + std::to_string(beyond) +
        "); measure there.");
  }
  if (thrifty.transport_sms < fastest.transport_sms) {
    advice.reasons.push_back("Thrifty saves " +
                             std::to_string(fastest.transport_sms - thrifty.transport_sms) +
                             " SMs for " + fixed(100.0 * (thrifty.us / fastest.us - 1.0), 2) +
                             "% more time (tolerance " + fixed(tolerance_pct, 2) + "%).");
  }
  if (predictor.law->branches() > 0) {
    point.transport_sms = fastest.transport_sms;
    point.tokens = mix.front().tokens;
    const int active = predictor.law->active_branch(predictor.values, point);
    std::string names;
    for (const model::LawTerm& term : predictor.law->terms) {
      if (term.branch != active) continue;
      names += (names.empty() ? "" : ", ") +
               std::string(predictor.law->parameters[term.parameter].name) + " (" +
               std::string(predictor.law->parameters[term.parameter].meaning) + ")";
    }
    advice.reasons.push_back("There the time is set by " + names + ".");
  }
  if (!fastest.outside.empty()) {
    advice.reasons.push_back("The fastest is extrapolated: the law was not fitted there.");
  }
}

int AdviseCommand::run() const {
  if (law.empty()) {
    throw InputError("--law", "is missing, and this build cannot predict with a profile yet",
                     "--law NAME or --law FILE");
  }
  const Ratio shape = parse_ratio(ratio);
  const std::vector<TokenShare> mix = parse_token_mix(tokens);
  const calibrate::LawPredictor predictor = predictor_of(*this);
  model::LawPoint point;
  point.channels_per_sm = channels_per_sm;
  point.sources = shape.attention;
  point.ranks = 0.0;
  for (const std::string_view field : predictor.law->fields) {
    if (field == "ranks") {
      throw InputError("--law", std::string(predictor.law->name) + " reads ranks, not SMs",
                       "a law over transport_sms");
    }
  }
  std::vector<AdviceRow> rows;
  for (const int n : sms.empty() ? candidates_of(predictor.domain) : sms) {
    rows.push_back(row_of(predictor, point, n, mix));
  }
  Advice advice = advise(std::move(rows), tolerance_pct);
  add_reasons(advice, predictor, point, mix, tolerance_pct);
  if (json) {
    print_json(to_json(advice));
  } else {
    print(advice, std::string(predictor.law->name) + ": " + std::string(predictor.law->formula));
  }
  return 0;
}

}  // namespace

std::pair<CLI::App*, Runner> add_advise_verb(CLI::App& app) {
  CLI::App* verb = app.add_subcommand("advise", kHelp);
  verb->footer(kExamples);
  auto command = std::make_shared<AdviseCommand>();
  verb->add_option("--ratio", command->ratio,
                   "Attention:FFN, in domains (hybrid, direct) or GPUs (nvlink)")
      ->type_name("A:F")
      ->capture_default_str();
  verb->add_option("--tokens", command->tokens,
                   "Tokens of one Attention GPU, or a mix as '1:0.7,128:0.3'")
      ->capture_default_str();
  verb->add_option(
          "--sms", command->sms,
          "Numbers of transport SMs to choose from (default: every fourth within the data)")
      ->check(CLI::Range(1, 1024));
  verb->add_option("--channels-per-sm", command->channels_per_sm, "Channels of one SM")
      ->check(CLI::Range(1, 64))
      ->capture_default_str();
  verb->add_option("--tolerance", command->tolerance_pct,
                   "Percent that the thrifty choice may be slower than the fastest")
      ->check(CLI::Range(0.0, 1000.0))
      ->capture_default_str();
  verb->add_option("--law", command->law,
                   "Predict with this law: a name (fitted now to --records and --where) or a file "
                   "that `fanin fit --save` wrote")
      ->type_name("NAME|FILE");
  command->records.add_to(*verb);
  command->fitting.add_to(*verb);
  verb->add_flag("--json", command->json, "One JSON object on stdout");
  return {verb, [command] { return command->run(); }};
}

}  // namespace fanin::experiments
