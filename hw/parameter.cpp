#include "fanin/hw/parameter.hpp"

#include <algorithm>
#include <vector>

#include "fanin/hw/nearest.hpp"
#include "registry.hpp"

namespace fanin::hw {

std::string_view to_string(Source source) {
  switch (source) {
    case Source::measured: return "measured";
    case Source::fitted: return "fitted";
    case Source::literature: return "literature";
  }
  return "";
}

std::span<const ParameterSpec> parameter_registry() {
  static const std::vector<ParameterSpec> sorted = [] {
    std::vector<ParameterSpec> specs(std::begin(kRegistry), std::end(kRegistry));
    std::sort(specs.begin(), specs.end(),
              [](const ParameterSpec& a, const ParameterSpec& b) { return a.name < b.name; });
    return specs;
  }();
  return sorted;
}

const ParameterSpec* find_parameter(std::string_view name) {
  const auto registry = parameter_registry();
  const auto it =
      std::lower_bound(registry.begin(), registry.end(), name,
                       [](const ParameterSpec& spec, std::string_view n) { return spec.name < n; });
  return it != registry.end() && it->name == name ? &*it : nullptr;
}

std::string_view nearest_parameter(std::string_view name) {
  std::vector<std::string_view> names;
  for (const ParameterSpec& spec : parameter_registry()) names.push_back(spec.name);
  return nearest_name(name, names);
}

}  // namespace fanin::hw
