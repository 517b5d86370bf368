#include "fanin/hw/parameter.hpp"

#include <algorithm>
#include <numeric>
#include <vector>

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

namespace {

std::size_t edit_distance(std::string_view a, std::string_view b) {
  std::vector<std::size_t> row(b.size() + 1);
  std::iota(row.begin(), row.end(), std::size_t{0});
  for (std::size_t i = 1; i <= a.size(); ++i) {
    std::size_t diagonal = row[0];
    row[0] = i;
    for (std::size_t j = 1; j <= b.size(); ++j) {
      const std::size_t change = diagonal + (a[i - 1] == b[j - 1] ? 0 : 1);
      diagonal = row[j];
      row[j] = std::min({row[j] + 1, row[j - 1] + 1, change});
    }
  }
  return row.back();
}

}  // namespace

std::string_view nearest_parameter(std::string_view name) {
  const auto registry = parameter_registry();
  const auto it = std::min_element(
      registry.begin(), registry.end(), [&](const ParameterSpec& a, const ParameterSpec& b) {
        return edit_distance(name, a.name) < edit_distance(name, b.name);
      });
  return it == registry.end() ? std::string_view{} : it->name;
}

}  // namespace fanin::hw
