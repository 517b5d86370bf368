#include <Eigen/Core>
#include <algorithm>
#include <boost/math/distributions/normal.hpp>
#include <cmath>
#include <map>
#include <random>

#include "fanin/calibrate/law_contest.hpp"
#include "fanin/hw/error.hpp"
#include "fanin/model/law_family.hpp"

namespace fanin::calibrate {
namespace {

constexpr int kResamples = 2000;
constexpr std::size_t kResampledRows = 10000;  // above, a resample's sum is normal to 1%
constexpr double kRejected = 0.05;

LawRows pick(const LawRows& rows, const std::vector<std::size_t>& chosen) {
  LawRows picked;
  for (const std::size_t i : chosen) {
    picked.ids.push_back(rows.ids[i]);
    picked.points.push_back(rows.points[i]);
    picked.measured_us.push_back(rows.measured_us[i]);
    picked.repeats_us.push_back(rows.repeats_us[i]);
  }
  return picked;
}

std::vector<std::string> varying_fields(const LawRows& rows) {
  using Get = double (*)(const model::LawPoint&);
  const std::pair<const char*, Get> fields[] = {
      {"transport_sms", [](const model::LawPoint& p) { return p.channels(); }},
      {"sources", [](const model::LawPoint& p) { return p.sources; }},
      {"tokens", [](const model::LawPoint& p) { return p.tokens; }},
      {"ranks", [](const model::LawPoint& p) { return p.ranks; }}};
  std::vector<std::string> varying;
  for (const auto& field : fields) {
    const char* const name = field.first;
    const Get get = field.second;
    const bool varies = std::any_of(rows.points.begin(), rows.points.end(), [&](const auto& p) {
      return get(p) != get(rows.points.front());
    });
    // More sources are more ranks: a law that reads sources has read that.
    const bool counted = std::string(name) == "ranks" && !varying.empty() &&
                         std::find(varying.begin(), varying.end(), "sources") != varying.end();
    if (varies && !counted) varying.emplace_back(name);
  }
  return varying;
}

bool reads(const model::Law& law, std::string_view field) {
  return std::find(law.fields.begin(), law.fields.end(), field) != law.fields.end();
}

bool worth_trying(const model::Law& law, const std::vector<std::string>& varying) {
  if (reads(law, "transport_sms") && reads(law, "sources")) return true;
  return std::all_of(varying.begin(), varying.end(),
                     [&](const std::string& field) { return reads(law, field); });
}

HeldOut hold_out(const model::Law& law, const LawRows& rows, const std::vector<std::size_t>& out,
                 LawFitOptions options) {
  std::vector<std::size_t> rest;
  for (std::size_t i = 0; i < rows.size(); ++i) {
    if (!std::binary_search(out.begin(), out.end(), i)) rest.push_back(i);
  }
  options.draws = 0;
  const LawOutcome outcome = fit_law(law, pick(rows, rest), options);
  HeldOut result;
  if (const LawRefusal* refusal = std::get_if<LawRefusal>(&outcome)) {
    result.refused = refusal->reason;
    return result;
  }
  result.values = std::get<LawFit>(outcome).values;
  std::vector<double> errors;
  for (const std::size_t i : out) {
    const double measured = rows.measured_us[i];
    errors.push_back(100.0 * (law.evaluate(result.values, rows.points[i]) - measured) / measured);
  }
  result.errors = LawErrors::of(std::move(errors));
  return result;
}

/// Errors on rows that were not fitted, which the standing is judged by.
const LawErrors& unfitted(const Contestant& contestant) {
  return contestant.held_out ? contestant.held_out->errors : contestant.fit.left_out;
}

double score(const Contestant& contestant) {
  return contestant.held_out ? contestant.held_out->errors.max_abs : contestant.fit.left_out.rms;
}

/// Share of resamples with a sum of at least zero, when the sum of so many is normal.
double share_of_normal(const std::vector<double>& advantage) {
  const Eigen::Map<const Eigen::ArrayXd> values(advantage.data(),
                                                static_cast<Eigen::Index>(advantage.size()));
  const double sum = values.sum();
  const double deviation = std::sqrt((values - values.mean()).square().sum());
  if (deviation == 0.0) return sum >= 0.0 ? 1.0 : 0.0;
  return boost::math::cdf(boost::math::normal(), sum / deviation);
}

/// Share of resamples of the rows in which `a` has the smaller squared error; rows where one of
/// them has no error do not count.
double share_better(const LawErrors& a, const LawErrors& b, std::uint64_t seed) {
  std::vector<double> advantage;
  for (std::size_t i = 0; i < a.pct.size(); ++i) {
    const double difference = b.pct[i] * b.pct[i] - a.pct[i] * a.pct[i];
    if (std::isfinite(difference)) advantage.push_back(difference);
  }
  if (advantage.empty()) return 0.0;
  if (advantage.size() > kResampledRows) return share_of_normal(advantage);
  std::mt19937_64 random(seed);
  int better = 0;
  for (int k = 0; k < kResamples; ++k) {
    double sum = 0.0;
    for (std::size_t i = 0; i < advantage.size(); ++i)
      sum += advantage[random() % advantage.size()];
    if (sum >= 0.0) ++better;
  }
  return static_cast<double>(better) / kResamples;
}

void judge(Contest& contest, std::uint64_t seed) {
  for (std::size_t i = 0; i < contest.laws.size(); ++i) {
    const double here = score(contest.laws[i]);
    if (!std::isfinite(here)) continue;
    if (!contest.best || here < score(contest.laws[*contest.best])) contest.best = i;
  }
  if (!contest.best) return;
  Contestant& best = contest.laws[*contest.best];
  for (Contestant& contestant : contest.laws) {
    if (!std::isfinite(score(contestant))) continue;
    contestant.better_share = share_better(unfitted(contestant), unfitted(best), seed);
    contestant.standing =
        contestant.better_share < kRejected ? Standing::rejected : Standing::stands;
  }
  best.standing = Standing::best;
}

std::string missing_text(const std::map<std::string, std::size_t>& missing, std::size_t rows) {
  std::string text;
  for (const auto& [field, count] : missing) {
    text += (text.empty() ? "" : ", ") + field + " (missing in " +
            (count == rows ? "every row"
                           : std::to_string(count) + " of " + std::to_string(rows) + " rows") +
            ")";
  }
  return "needs " + text;
}

/// All reasons, laws with the same one together.
std::string all_reasons(const std::vector<LawRefusal>& refused) {
  std::vector<std::pair<std::string, std::string>> reasons;
  for (const LawRefusal& refusal : refused) {
    const auto known = std::find_if(reasons.begin(), reasons.end(), [&](const auto& entry) {
      return entry.first == refusal.reason;
    });
    if (known == reasons.end()) {
      reasons.emplace_back(refusal.reason, refusal.law->name);
    } else {
      known->second += ", " + std::string(refusal.law->name);
    }
  }
  std::string text;
  for (const auto& [reason, laws] : reasons) {
    text += (text.empty() ? "" : "; ") + laws + ": " + reason;
  }
  return text;
}

void try_law(const model::Law& law, const std::vector<Record>& records,
             const ContestOptions& options, Contest& result) {
  const auto missing = missing_fields(law, records);
  if (!missing.empty()) {
    result.refused.push_back({&law, missing_text(missing, records.size()), {}});
    return;
  }
  LawOutcome outcome = fit_law(law, result.rows, options.fit);
  if (LawRefusal* refusal = std::get_if<LawRefusal>(&outcome)) {
    result.refused.push_back(std::move(*refusal));
    return;
  }
  Contestant contestant;
  contestant.fit = std::move(std::get<LawFit>(outcome));
  if (options.holdout) {
    contestant.held_out = hold_out(law, result.rows, result.held_out, options.fit);
  }
  result.laws.push_back(std::move(contestant));
}

}  // namespace

std::string_view to_string(Standing standing) {
  switch (standing) {
    case Standing::best: return "best";
    case Standing::stands: return "stands";
    case Standing::rejected: return "rejected";
    case Standing::untested: return "untested";
  }
  return "";
}

Contest contest(const std::vector<Record>& records, const ContestOptions& options) {
  Contest result;
  result.rows = law_rows(records);
  result.domain = LawDomain::of(records);
  if (options.holdout) {
    for (std::size_t i = 0; i < records.size(); ++i) {
      if (options.holdout->matches(records[i])) result.held_out.push_back(i);
    }
    if (result.held_out.empty() || result.held_out.size() == records.size()) {
      throw InputError("--holdout",
                       "selects " + std::to_string(result.held_out.size()) + " of " +
                           std::to_string(records.size()) + " rows",
                       "some rows, not all");
    }
  }
  std::vector<const model::Law*> laws = options.laws;
  if (laws.empty() && !records.empty()) {
    const std::vector<std::string> varying = varying_fields(result.rows);
    for (const model::Law& law : model::law_family()) {
      if (worth_trying(law, varying)) {
        laws.push_back(&law);
      } else {
        result.untried.emplace_back(law.name);
      }
    }
  }
  for (const model::Law* law : laws) try_law(*law, records, options, result);
  if (result.laws.empty() && !result.untried.empty()) {
    // Better a law that ignores what varies than none.
    for (const std::string& name : result.untried) {
      try_law(*model::find_law(name), records, options, result);
    }
    result.untried.clear();
  }
  if (result.laws.empty()) {
    throw InputError(std::to_string(records.size()) + (records.size() == 1 ? " row" : " rows"),
                     "no law can be fitted: " + all_reasons(result.refused),
                     "rows that vary in what a law reads");
  }
  judge(result, options.fit.seed);
  return result;
}

}  // namespace fanin::calibrate
