#include <algorithm>
#include <cmath>
#include <limits>
#include <nlohmann/json.hpp>

#include "fanin/calibrate/law_predictor.hpp"
#include "fanin/hw/atomic_file.hpp"
#include "fanin/hw/error.hpp"
#include "fanin/model/law_family.hpp"

namespace fanin::calibrate {
namespace {

using Json = nlohmann::ordered_json;

constexpr std::size_t kMostDraws = 400;
constexpr const char* kSchema = "fanin-law-fit";

/// null stands for a number that is not defined.
double number_or_nan(const Json& value) {
  return value.is_null() ? std::numeric_limits<double>::quiet_NaN() : value.get<double>();
}

Json domain_json(const LawDomain& domain) {
  Json json{{"ranges", Json::object()}, {"values", Json::object()}};
  for (const auto& [field, range] : domain.ranges) {
    json["ranges"][field] = {range.first, range.second};
  }
  for (const auto& [field, values] : domain.values) json["values"][field] = values;
  json["runs"] = domain.runs;
  return json;
}

LawDomain domain_of(const Json& json) {
  LawDomain domain;
  for (const auto& [field, range] : json.at("ranges").items()) {
    domain.ranges[field] = {range.at(0).get<double>(), range.at(1).get<double>()};
  }
  for (const auto& [field, values] : json.at("values").items()) {
    domain.values[field] = values.get<std::set<std::string>>();
  }
  domain.runs = json.at("runs").get<std::set<std::array<double, 3>>>();
  return domain;
}

LawPredictor parse(const Json& json) {
  LawPredictor predictor;
  const auto name = json.at("law").get<std::string>();
  predictor.law = model::find_law(name);
  if (!predictor.law) throw InputError("law", "'" + name + "'", "one of " + model::law_names());
  for (const model::LawParameter& parameter : predictor.law->parameters) {
    const Json& entry = json.at("parameters").at(std::string(parameter.name));
    predictor.values.push_back(entry.at("value").get<double>());
    predictor.ci95.push_back(
        {number_or_nan(entry.at("ci95").at(0)), number_or_nan(entry.at("ci95").at(1))});
  }
  for (const Json& draw : json.at("draws")) {
    predictor.draws.push_back(draw.get<std::vector<double>>());
    if (predictor.draws.back().size() != predictor.values.size()) {
      throw InputError("draws",
                       "an entry with " + std::to_string(predictor.draws.back().size()) + " values",
                       std::to_string(predictor.values.size()));
    }
  }
  predictor.fitted_rows = json.at("rows").get<std::vector<std::string>>();
  predictor.domain = domain_of(json.at("domain"));
  predictor.max_abs_pct = number_or_nan(json.at("max_abs_pct"));
  predictor.loo_rms_pct = number_or_nan(json.at("loo_rms_pct"));
  return predictor;
}

}  // namespace

LawPredictor LawPredictor::of(const Contest& contest, const Contestant& contestant) {
  const LawFit& fit = contestant.fit;
  return {fit.law,
          fit.values,
          fit.ci95,
          fit.draws,
          contest.rows.ids,
          contest.domain,
          fit.in_sample.max_abs,
          fit.left_out.rms};
}

bool LawPredictor::fitted_on(const std::string& id) const {
  return std::find(fitted_rows.begin(), fitted_rows.end(), id) != fitted_rows.end();
}

LawPrediction LawPredictor::predict(const Record& record) const {
  const auto missing = missing_fields(*law, {record});
  if (!missing.empty()) {
    std::string names;
    for (const auto& [field, count] : missing) names += (names.empty() ? "" : ", ") + field;
    throw InputError(record.id, "does not state " + names,
                     "the fields that " + std::string(law->name) + " reads");
  }
  const model::LawPoint point = law_point(record);
  return {law->evaluate(values, point), prediction_interval(*law, draws, point),
          domain.outside(record)};
}

LawPrediction LawPredictor::predict(const model::LawPoint& point) const {
  return {law->evaluate(values, point), prediction_interval(*law, draws, point),
          domain.outside(point)};
}

std::string to_json(const LawPredictor& predictor) {
  Json json{{"schema", kSchema},
            {"version", kLawFileVersion},
            {"law", predictor.law->name},
            {"formula", predictor.law->formula},
            {"parameters", Json::object()},
            {"max_abs_pct", predictor.max_abs_pct},
            {"loo_rms_pct", predictor.loo_rms_pct},
            {"rows", predictor.fitted_rows},
            {"domain", domain_json(predictor.domain)},
            {"draws", Json::array()}};
  for (std::size_t j = 0; j < predictor.values.size(); ++j) {
    const model::LawParameter& parameter = predictor.law->parameters[j];
    json["parameters"][std::string(parameter.name)] = {
        {"value", predictor.values[j]}, {"unit", parameter.unit}, {"ci95", predictor.ci95[j]}};
  }
  const std::size_t stride = (predictor.draws.size() + kMostDraws - 1) / kMostDraws;
  for (std::size_t k = 0; k < predictor.draws.size(); k += stride) {
    json["draws"].push_back(predictor.draws[k]);
  }
  return json.dump(1) + "\n";
}

LawPredictor read_law_predictor(const std::string& path) {
  try {
    const Json json = Json::parse(read_file(path));
    if (!json.is_object() || json.value("schema", "") != kSchema) {
      throw InputError("schema", "is not " + std::string(kSchema),
                       "a file that `fanin fit --save` wrote");
    }
    if (json.at("version") != kLawFileVersion) {
      throw InputError("version", json.at("version").dump(), std::to_string(kLawFileVersion));
    }
    return parse(json);
  } catch (const InputError& error) {
    throw error.where() == path ? error : error.at(path);
  } catch (const Json::exception& error) {
    throw InputError(path, error.what(), "a file that `fanin fit --save` wrote");
  }
}

}  // namespace fanin::calibrate
