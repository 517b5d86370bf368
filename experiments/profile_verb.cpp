// fanin profile show|validate|diff
#include <cmath>
#include <cstdio>
#include <map>
#include <memory>

#include "fanin/hw/error.hpp"
#include "fanin/hw/profile.hpp"
#include "output.hpp"
#include "table.hpp"
#include "verb.hpp"

namespace fanin::experiments {
namespace {

using hw::Parameter;
using hw::ParameterSpec;
using hw::Profile;

struct Options {
  bool json = false;
  bool stated = false;
  std::vector<std::string> profiles;  ///< of validate
  std::string first;
  std::string second;  ///< of diff
};

/// What the simulator uses: the profile's own parameter, else the registry's prior.
Parameter effective(const Profile& profile, const ParameterSpec& spec) {
  const auto it = profile.parameters.find(spec.name);
  if (it != profile.parameters.end()) return it->second;
  Parameter prior;
  prior.value = spec.prior;
  prior.unit = std::string(spec.unit);
  prior.reference = std::string(spec.reference);
  return prior;
}

bool states(const Profile& profile, const ParameterSpec& spec) {
  return profile.parameters.contains(spec.name);
}

Json to_object(const Parameter& parameter) {
  Json object;
  object["value"] = parameter.value;
  object["unit"] = parameter.unit;
  object["ci95"] = parameter.ci95 ? Json(*parameter.ci95) : Json(nullptr);
  object["source"] = to_string(parameter.source);
  object["identified"] = parameter.identified;
  object["reference"] = parameter.reference;
  return object;
}

int show(const Options& options) {
  const Profile profile = hw::find_profile(options.first);
  Json parameters = Json::object();
  Table table({"parameter", "value", "unit", "95% interval", "source", "from"}, "lrllll");
  std::map<std::string, int> sources;
  for (const ParameterSpec& spec : hw::parameter_registry()) {
    const bool stated = states(profile, spec);
    if (options.stated && !stated) continue;
    const Parameter parameter = effective(profile, spec);
    std::string source(stated ? to_string(parameter.source) : "prior");
    ++sources[source];
    if (!parameter.identified) source += " (not identified)";
    if (!spec.simulated) source += " (not simulated)";
    const std::string name(spec.name);
    parameters[name] = to_object(parameter);
    parameters[name]["stated"] = stated;
    parameters[name]["meaning"] = spec.meaning;
    parameters[name]["simulated"] = spec.simulated;
    table.row({name, significant(parameter.value, 5), parameter.unit,
               parameter.ci95 ? interval((*parameter.ci95)[0], (*parameter.ci95)[1], 4) : "",
               source, parameter.reference});
  }
  if (options.json) {
    Json members = Json::array();
    for (const hw::EnsembleMember& member : profile.ensemble) {
      members.push_back({{"weight", member.weight}, {"values", Json(member.values)}});
    }
    print_json({{"name", profile.name},
                {"cluster", profile.cluster},
                {"description", profile.description},
                {"parameters", parameters},
                {"fitted",
                 {{"rows", profile.fitted_rows},
                  {"rows_hash", profile.fitted_rows_hash},
                  {"command", profile.fitted_command}}},
                {"ensemble", members},
                {"calibration", profile.calibration_report.empty()
                                    ? Json(nullptr)
                                    : Json::parse(profile.calibration_report)}});
    return 0;
  }
  std::printf("%s, predicts cluster %s\n%s\n\n", profile.name.c_str(), profile.cluster.c_str(),
              profile.description.c_str());
  table.print();
  std::printf("\n");
  for (const auto& [source, count] : sources) std::printf("%d %s  ", count, source.c_str());
  std::printf("\nfitted on %zu rows", profile.fitted_rows.size());
  if (!profile.fitted_command.empty()) std::printf(" by: %s", profile.fitted_command.c_str());
  if (!profile.ensemble.empty())
    std::printf("\n%zu parameter sets that the data allow", profile.ensemble.size());
  std::printf("\n");
  return 0;
}

int validate(const Options& options) {
  Json rows = Json::array();
  std::string first_problem;
  for (const std::string& name : options.profiles) {
    std::string problem;
    try {
      hw::find_profile(name);
    } catch (const InputError& error) {
      problem = error.what();
    }
    rows.push_back({{"profile", name},
                    {"valid", problem.empty()},
                    {"problem", problem.empty() ? Json(nullptr) : Json(problem)}});
    if (!problem.empty()) std::fprintf(stderr, "fanin: %s\n", problem.c_str());
    if (problem.empty() && !options.json) std::printf("%s: valid\n", name.c_str());
    if (first_problem.empty()) first_problem = problem;
  }
  if (options.json) print_json({{"rows", rows}});
  return first_problem.empty() ? 0 : 2;
}

int diff(const Options& options) {
  const Profile a = hw::find_profile(options.first);
  const Profile b = hw::find_profile(options.second);
  Json rows = Json::array();
  Table table(
      {"parameter", "unit", a.name, "95% interval", b.name, "95% interval", "change", "source"},
      "llrlrlrl");
  for (const ParameterSpec& spec : hw::parameter_registry()) {
    const Parameter left = effective(a, spec);
    const Parameter right = effective(b, spec);
    if (left.value == right.value && left.source == right.source && left.ci95 == right.ci95)
      continue;
    const double change = 100.0 * (right.value - left.value) / left.value;
    // Without intervals nothing can be said; with both, disjoint ones are a real difference.
    const bool both = left.ci95 && right.ci95;
    const bool disjoint =
        both && ((*left.ci95)[1] < (*right.ci95)[0] || (*right.ci95)[1] < (*left.ci95)[0]);
    const auto text = [](const Parameter& parameter) {
      return parameter.ci95 ? interval((*parameter.ci95)[0], (*parameter.ci95)[1], 4)
                            : std::string{};
    };
    std::string sources(to_string(left.source));
    if (left.source != right.source) sources += " -> " + std::string(to_string(right.source));
    table.row({std::string(spec.name), std::string(spec.unit), significant(left.value, 5),
               text(left), significant(right.value, 5), text(right),
               std::isfinite(change) ? fixed(change, 1) + "%" : "", sources});
    rows.push_back({{"parameter", spec.name},
                    {"unit", spec.unit},
                    {"a", to_object(left)},
                    {"b", to_object(right)},
                    {"change_pct", std::isfinite(change) ? Json(change) : Json(nullptr)},
                    {"intervals_disjoint", both ? Json(disjoint) : Json(nullptr)}});
  }
  if (options.json) {
    print_json({{"a", a.name}, {"b", b.name}, {"rows", rows}});
  } else if (table.empty()) {
    std::printf("%s and %s have the same parameters\n", a.name.c_str(), b.name.c_str());
  } else {
    table.print();
  }
  return 0;
}

}  // namespace

std::pair<CLI::App*, Runner> add_profile_verb(CLI::App& app) {
  CLI::App* verb = app.add_subcommand("profile", "Show, validate and compare hardware profiles");
  verb->require_subcommand(1);
  const auto options = std::make_shared<Options>();
  const std::string what =
      "A path, or a name in hw/profiles, in the folder that FANIN_PROFILES names, or beside the "
      "installed program";
  const auto action = [&](const char* name, const char* text) {
    CLI::App* command = verb->add_subcommand(name, text);
    command->add_flag("--json", options->json, "One JSON object on stdout");
    return command;
  };
  CLI::App* show_command = action("show", "Every parameter with value, unit, interval and source");
  show_command->add_option("profile", options->first, what)->required()->type_name("PROFILE");
  show_command->add_flag("--stated", options->stated,
                         "Only what the profile states itself, no priors");
  CLI::App* validate_command =
      action("validate", "Reports everything that is wrong with profiles; exit 2 when one is");
  validate_command->add_option("profiles", options->profiles, what)
      ->required()
      ->type_name("PROFILE");
  CLI::App* diff_command = action("diff", "Parameters in which two profiles differ");
  diff_command->add_option("a", options->first, what)->required()->type_name("PROFILE");
  diff_command->add_option("b", options->second, what)->required()->type_name("PROFILE");
  return {verb, [=] {
            if (show_command->parsed()) return show(*options);
            if (validate_command->parsed()) return validate(*options);
            return diff(*options);
          }};
}

}  // namespace fanin::experiments
