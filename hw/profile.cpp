#include "fanin/hw/profile.hpp"

#include <algorithm>

#include "fanin/hw/error.hpp"

namespace fanin::hw {
namespace {

const ParameterSpec& spec_of(std::string_view parameter) {
  if (const ParameterSpec* spec = find_parameter(parameter)) return *spec;
  throw InputError("parameter " + std::string(parameter), "not registered",
                   "'" + std::string(nearest_parameter(parameter)) + "'?");
}

}  // namespace

double Profile::value(std::string_view parameter) const {
  const ParameterSpec& spec = spec_of(parameter);
  const auto it = parameters.find(parameter);
  return it == parameters.end() ? spec.prior : it->second.value;
}

Picoseconds Profile::time(std::string_view parameter) const {
  const ParameterSpec& spec = spec_of(parameter);
  if (spec.unit == "us") return from_us(value(parameter));
  if (spec.unit == "ns") return from_ns(value(parameter));
  throw InputError("parameter " + std::string(parameter), "has unit " + std::string(spec.unit),
                   "us or ns");
}

Profile Profile::member(std::size_t index) const {
  Profile result = *this;
  result.ensemble.clear();
  for (const auto& [key, number] : ensemble.at(index).values) {
    Parameter& parameter = result.parameters[key];
    if (parameter.unit.empty()) parameter.unit = std::string(spec_of(key).unit);
    parameter.value = number;
  }
  return result;
}

bool Profile::fitted_on(std::string_view record_id) const {
  return std::find(fitted_rows.begin(), fitted_rows.end(), record_id) != fitted_rows.end();
}

}  // namespace fanin::hw
