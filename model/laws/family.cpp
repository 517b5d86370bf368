#include "fanin/model/law_family.hpp"

#include <algorithm>
#include <vector>

#include "family_parts.hpp"

namespace fanin::model {
namespace {

std::vector<Law> all_laws() {
  std::vector<Law> all;
  for (std::vector<Law> part : {laws::channel_laws(), laws::token_laws(), laws::table_laws()}) {
    all.insert(all.end(), part.begin(), part.end());
  }
  return all;
}

}  // namespace

std::span<const Law> law_family() {
  static const std::vector<Law> all = all_laws();
  return all;
}

const Law* find_law(std::string_view name) {
  const std::string_view wanted = name == "linear" ? "H_A" : name;
  const std::span<const Law> all = law_family();
  const auto found =
      std::find_if(all.begin(), all.end(), [&](const Law& law) { return law.name == wanted; });
  return found == all.end() ? nullptr : &*found;
}

std::string law_names() {
  std::string names;
  for (const Law& law : law_family()) {
    if (!names.empty()) names += ", ";
    names += law.name;
  }
  return names;
}

}  // namespace fanin::model
