// fanin verify --fix N… | --wrong wN | --all
#include <algorithm>
#include <cstdint>
#include <cstdio>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "fanin/hw/atomic_file.hpp"
#include "fanin/hw/error.hpp"
#include "fanin/model/fixes.hpp"
#include "fanin/model/fixes_text.hpp"
#include "fanin/model/safety.hpp"
#include "output.hpp"
#include "verb.hpp"
#include "verify_plan.hpp"
#include "verify_report.hpp"

namespace fanin::experiments {
namespace {

namespace safety = model::safety;

/// --all draws only one in so many schedules of the symmetric exchange, each of which is three
/// times as long; its large systems are exhausted too.
constexpr std::uint64_t symmetric_share = 10;

struct VerifyFlags {
  std::vector<std::string> fixes;
  std::string protocol;
  std::string wrong;
  std::string trace;
  bool all = false;
  bool json = false;
  bool no_reduction = false;
  // Signed, so that a negative number is refused instead of wrapped.
  std::int64_t seed = 1;
  std::int64_t max_states = 2'000'000;
  std::int64_t samples = 1'000'000;

  VerifyOptions options() const {
    const auto drawn = static_cast<std::uint64_t>(samples);
    return {static_cast<std::uint64_t>(seed), static_cast<std::uint64_t>(max_states), drawn,
            all ? drawn / symmetric_share : drawn, !no_reduction};
  }
};

constexpr std::int64_t most = 1'000'000'000'000;

/// The fix without options that only say what it is by default, and without those of fix 3, which
/// mean nothing to the explorer.
model::Fix plain(model::Fix fix) {
  if (fix.number == 3) fix.options.clear();
  for (const model::FixOption& option : model::fix_info(fix.number).options) {
    const auto given = fix.options.find(std::string(option.name));
    if (given != fix.options.end() && given->second == option.standard) fix.options.erase(given);
  }
  return fix;
}

/// The baseline and every fix in each of its forms, as far as the protocol has them.
std::vector<safety::Variant> right_variants(model::Protocol protocol) {
  std::vector<safety::Variant> variants = {{{}, {}, protocol}};
  const safety::System system = safety::small_systems(protocol).front();
  for (const model::Fix& fix : model::single_fixes()) {
    const safety::Variant variant{{plain(fix)}, {}, protocol};
    if (safety::fits(variant, system) && variant.fixes != variants.back().fixes)
      variants.push_back(variant);
  }
  return variants;
}

/// Both protocols' right variants, and the planted wrong ones.
std::vector<safety::Variant> all_variants() {
  std::vector<safety::Variant> variants = right_variants(model::Protocol::role);
  for (const std::string& wrong : safety::wrong_names()) variants.push_back({{}, wrong});
  for (safety::Variant& variant : right_variants(model::Protocol::symmetric))
    variants.push_back(std::move(variant));
  variants.push_back({model::parse_fixes("10+11+12+13"), {}, model::Protocol::symmetric});
  return variants;
}

std::vector<safety::Variant> chosen_variants(const VerifyFlags& flags) {
  const int choices =
      (flags.all ? 1 : 0) + (flags.wrong.empty() ? 0 : 1) + (flags.fixes.empty() ? 0 : 1);
  if (choices != 1) {
    throw InputError("verify", choices == 0 ? "nothing to verify" : "more than one choice",
                     "one of --fix N…, --wrong wN, --all");
  }
  if (!flags.protocol.empty() && flags.fixes.empty()) {
    throw InputError("--protocol", "it tells what --fix changes", "--fix beside it");
  }
  if (flags.all) return all_variants();
  if (!flags.wrong.empty()) return {{{}, flags.wrong}};
  std::string joined;
  for (const std::string& fix : flags.fixes) joined += (joined.empty() ? "" : "+") + fix;
  const std::vector<model::Fix> fixes = model::parse_fixes(joined);
  const bool only_symmetric = std::any_of(fixes.begin(), fixes.end(), [](const model::Fix& fix) {
    return model::fix_info(fix.number).scope == model::FixScope::symmetric;
  });
  const bool symmetric = flags.protocol.empty() ? only_symmetric : flags.protocol == "symmetric";
  return {{fixes, {}, symmetric ? model::Protocol::symmetric : model::Protocol::role}};
}

void write_trace(const VerifyFlags& flags, const VariantResult& result) {
  if (result.verdict.first_violation) {
    write_file(flags.trace, schedule_trace(*result.verdict.first_violation).dump() + "\n");
  } else {
    std::fprintf(stderr, "fanin: no violation, so %s is not written\n", flags.trace.c_str());
  }
}

int run(const VerifyFlags& flags) {
  if (flags.all && !flags.trace.empty()) {
    throw InputError("--trace", "it shows one schedule", "--fix or --wrong beside it, not --all");
  }
  const std::vector<VariantResult> results =
      verify_variants(chosen_variants(flags), flags.options());
  if (!flags.trace.empty()) write_trace(flags, results.front());
  if (flags.json && flags.all) {
    Json rows = Json::array();
    for (const VariantResult& result : results) rows.push_back(verdict_json(result));
    print_json({{"rows", std::move(rows)}});
  } else if (flags.json) {
    print_json(verdict_json(results.front()));
  } else if (flags.all) {
    print_verdict_table(results);
  } else {
    std::fputs(verdict_text(results.front()).c_str(), stdout);
  }
  return std::all_of(results.begin(), results.end(),
                     [](const VariantResult& result) { return result.as_expected(); })
             ? 0
             : 1;
}

}  // namespace

std::pair<CLI::App*, Runner> add_verify_verb(CLI::App& app) {
  auto flags = std::make_shared<VerifyFlags>();
  CLI::App* verb = app.add_subcommand(
      "verify",
      "Explore the interleavings of a protocol variant; exit 1 if a safe one has a race, or a "
      "planted wrong one has none");
  verb->add_option(
      "--fix", flags->fixes,
      "Fixes by number, combined: 4 8, 1:at=exit, 5:role=ffn, 8:occupancy=count; none is the "
      "baseline");
  verb->add_option("--protocol", flags->protocol,
                   "Of the exchange that --fix changes: role, or symmetric (stock kernels, the "
                   "default for fixes 10 to 13)")
      ->check(CLI::IsMember({"role", "symmetric"}));
  verb->add_option("--wrong", flags->wrong,
                   "A planted wrong variant, w1 to w10, w5ring or w1symmetric");
  verb->add_flag("--all", flags->all,
                 "The baseline, all fixes and all planted wrong variants, of both protocols");
  verb->add_option("--trace", flags->trace, "Write the violating schedule for ui.perfetto.dev");
  verb->add_option("--seed", flags->seed, "Seed of the sampled schedules")
      ->capture_default_str()
      ->check(CLI::Range(std::int64_t{0}, most));
  verb->add_option("--max-states", flags->max_states, "Give a system up after so many states")
      ->capture_default_str()
      ->check(CLI::Range(std::int64_t{1}, most));
  verb->add_option("--samples", flags->samples,
                   "Schedules to draw of the large systems, a variant; 0 for none; --all draws a "
                   "tenth of them on the symmetric exchange")
      ->capture_default_str()
      ->check(CLI::Range(std::int64_t{0}, most));
  verb->add_flag(
      "--no-reduction", flags->no_reduction,
      "Visit every interleaving of the small systems, not one of each equivalence class");
  verb->add_flag("--json", flags->json, "One JSON object on stdout");
  return {verb, [flags] { return run(*flags); }};
}

}  // namespace fanin::experiments
