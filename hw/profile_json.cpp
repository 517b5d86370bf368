#include <algorithm>
#include <cmath>
#include <nlohmann/json.hpp>
#include <set>

#include "fanin/hw/atomic_file.hpp"
#include "fanin/hw/error.hpp"
#include "fanin/hw/nearest.hpp"
#include "fanin/hw/profile.hpp"

namespace fanin::hw {
namespace {

using Json = nlohmann::ordered_json;

constexpr std::string_view kSchema = "fanin-profile";
/// Far more than a profile needs; writing JSON recurses, so that depth must have a limit.
constexpr int kDeepest = 64;
constexpr std::string_view kTopKeys[] = {"schema",  "version",     "name",
                                         "cluster", "description", "parameters",
                                         "fitted",  "ensemble",    "calibration"};
constexpr std::string_view kParameterKeys[] = {"value",     "unit",       "ci95", "source",
                                               "reference", "identified", "fit"};
constexpr std::string_view kFitKeys[] = {"prior", "factor", "tied_to"};
constexpr std::string_view kFittedKeys[] = {"rows", "rows_hash", "command"};
constexpr std::string_view kMemberKeys[] = {"weight", "values"};

/// Everything that is wrong, in the order in which it was met.
class Problems {
 public:
  void add(const std::string& path, const std::string& what, const std::string& expected = {}) {
    list_.push_back(path + ": " + what + (expected.empty() ? "" : "; expected " + expected));
  }
  void throw_if_any(const std::string& where) const {
    if (list_.empty()) return;
    std::string text = list_.size() == 1 ? "" : std::to_string(list_.size()) + " problems: ";
    for (std::size_t i = 0; i < list_.size(); ++i) text += (i == 0 ? "" : " | ") + list_[i];
    throw InputError(where, text);
  }

 private:
  std::vector<std::string> list_;
};

/// Walks a parsed profile. Paths are JSON pointers; parameter names contain no slash.
class Reader {
 public:
  explicit Reader(Problems& problems) : problems_(problems) {}

  Profile profile(const Json& root) {
    Profile profile;
    if (!object(root, "/", kTopKeys)) return profile;
    if (text(root, "", "schema", true) != kSchema)
      problems_.add("/schema", "not a profile", "'" + std::string(kSchema) + "'");
    const double version = number(root, "", "version", kProfileSchemaVersion);
    if (version != kProfileSchemaVersion) {
      problems_.add("/version", "version " + root["version"].dump(),
                    std::to_string(kProfileSchemaVersion));
    }
    profile.name = text(root, "", "name", true);
    profile.cluster = text(root, "", "cluster", true);
    profile.description = text(root, "", "description", false);
    if (!root.contains("parameters")) {
      problems_.add("/parameters", "missing", "an object of parameters");
    } else if (any_object(root["parameters"], "/parameters")) {
      for (const auto& [name, entry] : root["parameters"].items()) {
        const std::string path = "/parameters/" + name;
        if (const ParameterSpec* spec = known(name, path))
          profile.parameters[name] = parameter(entry, path, *spec);
      }
    }
    if (root.contains("fitted")) fitted(root["fitted"], profile);
    if (root.contains("ensemble")) ensemble(root["ensemble"], profile);
    if (root.contains("calibration")) profile.calibration_report = root["calibration"].dump();
    return profile;
  }

 private:
  bool any_object(const Json& json, const std::string& path) {
    if (json.is_object()) return true;
    problems_.add(path, "wrong type", "an object");
    return false;
  }

  /// An object whose keys are all known.
  bool object(const Json& json, const std::string& path, std::span<const std::string_view> keys) {
    if (!any_object(json, path)) return false;
    for (const auto& item : json.items()) {
      if (std::find(keys.begin(), keys.end(), item.key()) != keys.end()) continue;
      problems_.add((path == "/" ? "" : path) + "/" + item.key(), "unknown key",
                    "'" + std::string(nearest_name(item.key(), keys)) + "'?");
    }
    return true;
  }

  const ParameterSpec* known(const std::string& name, const std::string& path) {
    const ParameterSpec* spec = find_parameter(name);
    if (spec == nullptr)
      problems_.add(path, "unknown parameter", "'" + std::string(nearest_parameter(name)) + "'?");
    return spec;
  }

  std::string text(const Json& json, const std::string& path, const std::string& key, bool needed) {
    if (json.contains(key)) {
      if (json[key].is_string() && !(needed && json[key].get_ref<const std::string&>().empty()))
        return json[key];
      problems_.add(path + "/" + key, json[key].is_string() ? "empty" : "wrong type", "a text");
    } else if (needed) {
      problems_.add(path + "/" + key, "missing", "a text");
    }
    return {};
  }

  double number(const Json& json, const std::string& path, const std::string& key,
                double otherwise) {
    if (json.contains(key) && json[key].is_number()) return json[key];
    problems_.add(path + "/" + key, json.contains(key) ? "wrong type" : "missing", "a number");
    return otherwise;
  }

  void range(double value, const std::string& path, const ParameterSpec& spec) {
    if (value >= spec.low && value <= spec.high) return;
    problems_.add(
        path, Json(value).dump(),
        Json(spec.low).dump() + " to " + Json(spec.high).dump() + " " + std::string(spec.unit));
  }

  Parameter parameter(const Json& json, const std::string& path, const ParameterSpec& spec) {
    Parameter result;
    if (!object(json, path, kParameterKeys)) return result;
    result.value = number(json, path, "value", spec.prior);
    range(result.value, path + "/value", spec);
    result.unit = text(json, path, "unit", true);
    if (!result.unit.empty() && result.unit != spec.unit) {
      problems_.add(path + "/unit", "'" + result.unit + "'", "'" + std::string(spec.unit) + "'");
    }
    if (json.contains("ci95")) result.ci95 = interval(json["ci95"], path + "/ci95");
    const std::string source = text(json, path, "source", true);
    if (source == to_string(Source::measured)) {
      result.source = Source::measured;
    } else if (source == to_string(Source::fitted)) {
      result.source = Source::fitted;
    } else if (!source.empty() && source != to_string(Source::literature)) {
      problems_.add(path + "/source", "'" + source + "'", "measured, fitted or literature");
    }
    result.reference = text(json, path, "reference", true);
    if (json.contains("identified")) {
      if (json["identified"].is_boolean()) {
        result.identified = json["identified"];
      } else {
        problems_.add(path + "/identified", "wrong type", "true or false");
      }
    }
    if (json.contains("fit")) result.fit = declaration(json["fit"], path + "/fit", result, spec);
    return result;
  }

  std::optional<FitDeclaration> declaration(const Json& json, const std::string& path,
                                            const Parameter& parameter, const ParameterSpec& spec) {
    FitDeclaration fit;
    if (!object(json, path, kFitKeys)) return std::nullopt;
    fit.prior = json.contains("prior") ? number(json, path, "prior", spec.prior) : parameter.value;
    range(fit.prior, path + "/prior", spec);
    if (json.contains("factor")) fit.factor = number(json, path, "factor", fit.factor);
    fit.tied_to = text(json, path, "tied_to", false);
    if (fit.tied_to.empty() && !(fit.prior > 0.0))
      problems_.add(path + "/prior", Json(fit.prior).dump(),
                    "above 0, since it is fitted as a log");
    if (!(fit.factor > 1.0))
      problems_.add(path + "/factor", Json(fit.factor).dump(), "a number above 1");
    if (!fit.tied_to.empty()) known(fit.tied_to, path + "/tied_to");
    return fit;
  }

  std::optional<std::array<double, 2>> interval(const Json& json, const std::string& path) {
    const bool two =
        json.is_array() && json.size() == 2 && json[0].is_number() && json[1].is_number();
    if (two && json[0].get<double>() <= json[1].get<double>())
      return std::array<double, 2>{json[0], json[1]};
    problems_.add(path, two ? "ends in the wrong order" : "wrong type", "[low, high]");
    return std::nullopt;
  }

  void fitted(const Json& json, Profile& profile) {
    if (!object(json, "/fitted", kFittedKeys)) return;
    profile.fitted_rows_hash = text(json, "/fitted", "rows_hash", false);
    profile.fitted_command = text(json, "/fitted", "command", false);
    if (!json.contains("rows")) return;
    if (!json["rows"].is_array())
      return problems_.add("/fitted/rows", "wrong type", "a list of record ids");
    std::set<std::string> seen;
    for (std::size_t i = 0; i < json["rows"].size(); ++i) {
      const Json& row = json["rows"][i];
      const std::string path = "/fitted/rows/" + std::to_string(i);
      if (!row.is_string()) {
        problems_.add(path, "wrong type", "a record id");
      } else if (!seen.insert(row.get<std::string>()).second) {
        problems_.add(path, row.dump() + " occurs twice", "each id once");
      } else {
        profile.fitted_rows.push_back(row);
      }
    }
  }

  void ensemble(const Json& json, Profile& profile) {
    if (!json.is_array()) return problems_.add("/ensemble", "wrong type", "a list of members");
    double sum = 0.0;
    for (std::size_t i = 0; i < json.size(); ++i) {
      const std::string path = "/ensemble/" + std::to_string(i);
      if (!object(json[i], path, kMemberKeys)) continue;
      EnsembleMember member;
      member.weight = number(json[i], path, "weight", 1.0);
      if (!(member.weight > 0.0 && member.weight <= 1.0))
        problems_.add(path + "/weight", json[i]["weight"].dump(), "above 0, at most 1");
      if (!profile.ensemble.empty() && member.weight > profile.ensemble.front().weight) {
        problems_.add(path + "/weight", "heavier than the first", "the heaviest member first");
      }
      sum += member.weight;
      if (json[i].contains("values") && any_object(json[i]["values"], path + "/values")) {
        for (const auto& item : json[i]["values"].items()) {
          const std::string place = path + "/values/" + item.key();
          const ParameterSpec* spec = known(item.key(), place);
          if (spec == nullptr) continue;
          const double value = number(json[i]["values"], path + "/values", item.key(), spec->prior);
          range(value, place, *spec);
          member.values[item.key()] = value;
        }
      }
      profile.ensemble.push_back(std::move(member));
    }
    // Loose enough for weights written with six digits.
    if (!json.empty() && std::abs(sum - 1.0) > 1e-4)
      problems_.add("/ensemble", "weights sum to " + Json(sum).dump(), "1");
  }

  Problems& problems_;
};

/// The parser keeps the last of two equal keys; a profile that says two things must say which.
Json parse_without_double_keys(const std::string& text, const std::string& where) {
  std::vector<std::set<std::string>> open;
  std::string twice;
  bool deep = false;
  const auto watch = [&](int depth, Json::parse_event_t event, Json& parsed) {
    deep = deep || depth > kDeepest;
    if (event == Json::parse_event_t::object_start) open.emplace_back();
    if (event == Json::parse_event_t::object_end) open.pop_back();
    if (event == Json::parse_event_t::key &&
        !open.back().insert(parsed.get<std::string>()).second && twice.empty()) {
      twice = parsed.get<std::string>();
    }
    return true;
  };
  Json root;
  try {
    root = Json::parse(text, watch);
  } catch (const Json::exception& error) {
    // The library's message is "[json.exception.parse_error.101] parse error at line 1, column 2:
    // …".
    std::string message = error.what();
    const std::size_t close = message.find("] ");
    if (close != std::string::npos) message.erase(0, close + 2);
    throw InputError(where, message, "a JSON profile");
  }
  if (!twice.empty())
    throw InputError(where, "key '" + twice + "' occurs twice in one object", "each key once");
  if (deep) {
    throw InputError(where, "nested deeper than " + std::to_string(kDeepest) + " levels",
                     "a JSON profile");
  }
  return root;
}

}  // namespace

Profile parse_profile(const std::string& text, const std::string& where) {
  if (text.find_first_not_of(" \t\r\n") == std::string::npos)
    throw InputError(where, "is empty", "a JSON profile");
  const Json root = parse_without_double_keys(text, where);
  Problems problems;
  Profile profile = Reader(problems).profile(root);
  problems.throw_if_any(where);
  return profile;
}

Profile read_profile(const std::string& path) { return parse_profile(read_file(path), path); }

}  // namespace fanin::hw
