#include "fit_report.hpp"

namespace fanin::experiments {
namespace {

using calibrate::Contestant;
using calibrate::LawFit;

Json named_values(const model::Law& law, const std::vector<double>& values) {
  Json json = Json::object();
  for (std::size_t j = 0; j < values.size(); ++j) {
    json[std::string(law.parameters[j].name)] = values[j];
  }
  return json;
}

Json parameters_json(const LawFit& fit) {
  Json json = Json::object();
  for (std::size_t j = 0; j < fit.values.size(); ++j) {
    const model::LawParameter& parameter = fit.law->parameters[j];
    json[std::string(parameter.name)] = {
        {"value", fit.values[j]}, {"unit", parameter.unit}, {"ci95", fit.ci95[j]}};
  }
  return json;
}

Json law_json(const Contestant& contestant) {
  const LawFit& fit = contestant.fit;
  Json json{{"name", fit.law->name},
            {"formula", fit.law->formula},
            {"parameters", parameters_json(fit)},
            {"max_abs_pct", fit.in_sample.max_abs},
            {"rms_pct", fit.in_sample.rms},
            {"loo_rms_pct", fit.left_out.rms},
            {"loo_max_abs_pct", fit.left_out.max_abs},
            {"interval_method", fit.interval_method},
            {"draws_refused", fit.draws_refused},
            {"standing", to_string(contestant.standing)},
            {"better_share", contestant.better_share}};
  if (!fit.rows_per_branch.empty()) json["rows_per_branch"] = fit.rows_per_branch;
  if (!fit.alternatives.empty()) {
    json["alternatives"] = Json::array();
    for (const auto& values : fit.alternatives) {
      json["alternatives"].push_back(named_values(*fit.law, values));
    }
  }
  if (contestant.held_out) {
    const calibrate::HeldOut& held_out = *contestant.held_out;
    json["holdout"] = {{"max_abs_pct", held_out.errors.max_abs}, {"rms_pct", held_out.errors.rms}};
    if (held_out.refused.empty()) {
      json["holdout"]["parameters"] = named_values(*fit.law, held_out.values);
    } else {
      json["holdout"]["refused"] = held_out.refused;
    }
  }
  return json;
}

Json rows_json(const calibrate::Contest& contest) {
  Json rows = Json::array();
  for (std::size_t i = 0; i < contest.rows.size(); ++i) {
    Json row{{"id", contest.rows.ids[i]}, {"measured_us", contest.rows.measured_us[i]}};
    for (const Contestant& contestant : contest.laws) {
      row["error_pct"][std::string(contestant.fit.law->name)] = contestant.fit.in_sample.pct[i];
    }
    rows.push_back(std::move(row));
  }
  return rows;
}

Json point_json(const model::LawPoint& point) {
  Json json{{"transport_sms", point.transport_sms}, {"channels_per_sm", point.channels_per_sm}};
  if (point.sources > 0.0) json["sources"] = point.sources;
  if (point.tokens > 0.0) json["tokens"] = point.tokens;
  if (point.ranks > 0.0) json["ranks"] = point.ranks;
  return json;
}

}  // namespace

Json to_json(const FitReport& report) {
  const calibrate::Contest& contest = report.contest;
  Json json{{"laws", Json::array()}, {"best", nullptr}};
  for (const Contestant& contestant : contest.laws) json["laws"].push_back(law_json(contestant));
  if (contest.best) json["best"] = contest.laws[*contest.best].fit.law->name;
  json["criterion"] = report.holdout.empty() ? "loo_rms_pct" : "holdout.max_abs_pct";
  json["n"] = contest.rows.size();
  json["refused"] = Json::array();
  for (const calibrate::LawRefusal& refusal : contest.refused) {
    json["refused"].push_back({{"name", refusal.law->name},
                               {"reason", refusal.reason},
                               {"parameters", refusal.parameters}});
  }
  json["untried"] = contest.untried;
  json["slopes"] = Json::array();
  for (const calibrate::Slope& slope : report.slopes) {
    Json entry{{"sources", slope.sources},
               {"tokens", slope.tokens},
               {"rows", slope.rows},
               {"measured_ns_per_channel", slope.measured_ns}};
    for (std::size_t k = 0; k < contest.laws.size(); ++k) {
      entry["predicted_ns_per_channel"][std::string(contest.laws[k].fit.law->name)] =
          slope.predicted_ns[k];
    }
    json["slopes"].push_back(std::move(entry));
  }
  if (!report.next.empty()) {
    json["next"] = Json::array();
    for (const calibrate::NextRun& run : report.next) {
      Json entry = point_json(run.point);
      entry["separation"] = run.separation;
      entry["measured"] = run.measured;
      for (std::size_t k = 0; k < report.separated.size(); ++k) {
        entry["predicted_us"][std::string(report.separated[k]->law->name)] = run.predicted_us[k];
      }
      json["next"].push_back(std::move(entry));
    }
  }
  json["warnings"] = report.warnings;
  json["skipped"] = report.skipped;
  if (report.show_rows) json["rows"] = rows_json(contest);
  return json;
}

}  // namespace fanin::experiments
