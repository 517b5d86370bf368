#include <cstdio>

#include "fanin/hw/error.hpp"
#include "fanin/probe/probe.hpp"

namespace fanin::probe {

std::string Figure::flag() const {
  char text[96];
  if (estimate.median < low) {
    std::snprintf(text, sizeof text, "below what the chip can do, %.4g %s", low, unit.c_str());
    return text;
  }
  if (estimate.median > high) {
    std::snprintf(text, sizeof text, "above what the chip can do, %.4g %s", high, unit.c_str());
    return text;
  }
  return {};
}

namespace {

/// Factor from a figure's unit to its parameter's.
double unit_factor(const std::string& from, std::string_view to) {
  if (from == to) return 1;
  if (from == "ns" && to == "us") return 1e-3;
  if (from == "us" && to == "ns") return 1e3;
  throw InputError("figure unit " + from, "cannot be turned into " + std::string(to), "ns or us");
}

}  // namespace

hw::Profile to_profile(const std::vector<Figure>& figures, const Machine& machine,
                       const std::string& name, const std::string& command) {
  hw::Profile profile;
  profile.name = name;
  profile.cluster = name;
  profile.description = "Measured on one " + machine.gpu + ", driver " + machine.driver;
  for (const Figure& figure : figures) {
    if (figure.parameter.empty() || !figure.flag().empty()) continue;
    const hw::ParameterSpec* const spec = hw::find_parameter(figure.parameter);
    if (spec == nullptr) throw InputError("figure " + figure.name, "has no such parameter", {});
    const double factor = unit_factor(figure.unit, spec->unit);
    hw::Parameter& parameter = profile.parameters[figure.parameter];
    parameter.value = factor * figure.estimate.median;
    parameter.unit = std::string(spec->unit);
    parameter.ci95 = {{factor * figure.estimate.ci95[0], factor * figure.estimate.ci95[1]}};
    parameter.source = hw::Source::measured;
    parameter.reference = command + ", " + figure.name;
  }
  return profile;
}

}  // namespace fanin::probe
