#include <nlohmann/json.hpp>

#include "fanin/hw/atomic_file.hpp"
#include "fanin/hw/error.hpp"
#include "fanin/hw/profile.hpp"

namespace fanin::hw {
namespace {

using Json = nlohmann::ordered_json;

/// A command line or a reference need not be UTF-8; what is not is replaced.
std::string dump(const Json& value) {
  return value.dump(-1, ' ', false, Json::error_handler_t::replace);
}

Json to_object(const Parameter& parameter) {
  Json object;
  object["value"] = parameter.value;
  object["unit"] = parameter.unit;
  if (parameter.ci95) object["ci95"] = *parameter.ci95;
  object["source"] = to_string(parameter.source);
  if (!parameter.identified) object["identified"] = false;
  object["reference"] = parameter.reference;
  if (parameter.fit && !parameter.fit->tied_to.empty()) {
    object["fit"] = {{"tied_to", parameter.fit->tied_to}};
  } else if (parameter.fit) {
    object["fit"] = {{"prior", parameter.fit->prior}, {"factor", parameter.fit->factor}};
  }
  return object;
}

/// Lines "  KEY: [item, item]" with one item a line, so that a change of one shows as one line.
std::string block(const std::string& key, char open, char close,
                  const std::vector<std::string>& items) {
  std::string text = ",\n  " + dump(Json(key)) + ": " + open;
  for (std::size_t i = 0; i < items.size(); ++i) text += (i == 0 ? "\n    " : ",\n    ") + items[i];
  return text + (items.empty() ? "" : "\n  ") + close;
}

std::string line(const std::string& key, const Json& value) {
  return ",\n  " + dump(Json(key)) + ": " + dump(value);
}

}  // namespace

std::string to_json(const Profile& profile) {
  std::string text = "{\n  \"schema\": \"fanin-profile\"";
  text += line("version", kProfileSchemaVersion);
  text += line("name", profile.name);
  text += line("cluster", profile.cluster);
  if (!profile.description.empty()) text += line("description", profile.description);
  std::vector<std::string> parameters;
  for (const auto& [name, parameter] : profile.parameters) {
    parameters.push_back(dump(Json(name)) + ": " + dump(to_object(parameter)));
  }
  text += block("parameters", '{', '}', parameters);
  if (!profile.fitted_rows.empty() || !profile.fitted_rows_hash.empty() ||
      !profile.fitted_command.empty()) {
    Json fitted;
    fitted["command"] = profile.fitted_command;
    fitted["rows_hash"] = profile.fitted_rows_hash;
    fitted["rows"] = profile.fitted_rows;
    text += line("fitted", fitted);
  }
  if (!profile.ensemble.empty()) {
    std::vector<std::string> members;
    for (const EnsembleMember& member : profile.ensemble) {
      Json values = Json::object();
      for (const auto& [name, value] : member.values) values[name] = value;
      members.push_back(dump(Json{{"weight", member.weight}, {"values", values}}));
    }
    text += block("ensemble", '[', ']', members);
  }
  if (!profile.calibration_report.empty()) {
    try {
      text += line("calibration", Json::parse(profile.calibration_report));
    } catch (const Json::exception&) {
      throw InputError("calibration_report of " + profile.name, "malformed JSON", "JSON text");
    }
  }
  return text + "\n}\n";
}

void write_profile(const Profile& profile, const std::string& path) {
  write_file(path, to_json(profile));
}

}  // namespace fanin::hw
