#include "probe_against.hpp"

#include <cstdio>
#include <fstream>

#include "fanin/hw/error.hpp"

namespace fanin::experiments {

EarlierProbe read_probe(const std::string& path) {
  std::ifstream file(path);
  if (!file) throw InputError(path, "cannot be read", "records of fanin probe");
  EarlierProbe figures;
  std::string text;
  for (int number = 1; std::getline(file, text); ++number) {
    const std::string where = path + ":" + std::to_string(number);
    const Json line = Json::parse(text, nullptr, false);
    if (!line.is_object()) throw InputError(where, "no JSON object", "one object a line");
    if (!line.contains("figure")) continue;
    const Json ci95 = line.value("ci95", Json());
    const bool pair =
        ci95.is_array() && ci95.size() == 2 && ci95[0].is_number() && ci95[1].is_number();
    if (!line["figure"].is_string() || !pair || ci95[0] > ci95[1]) {
      throw InputError(where + ": ci95", ci95.dump(), "[low, high] of a named figure");
    }
    figures[line["figure"].get<std::string>()] = ci95.get<std::array<double, 2>>();
  }
  if (figures.empty()) throw InputError(path, "no figure", "records of fanin probe");
  return figures;
}

void Comparison::add(const std::string& figure, const std::array<double, 2>& ci95) {
  const auto before = earlier.find(figure);
  if (before == earlier.end()) return;
  ++compared;
  if (!overlap(before->second, ci95)) differing.push_back(figure);
}

void Comparison::add_to(Json& result) const {
  result["compared"] = compared;
  result["differing"] = differing;
}

void Comparison::print(const std::string& path) const {
  std::printf("%zu of %zu figures have intervals apart from those in %s\n", differing.size(),
              compared, path.c_str());
  for (const std::string& name : differing) std::printf("  %s\n", name.c_str());
}

bool overlap(const std::array<double, 2>& a, const std::array<double, 2>& b) {
  return a[0] <= b[1] && b[0] <= a[1];
}

}  // namespace fanin::experiments
