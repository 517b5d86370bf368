#include "fanin/model/fixes_text.hpp"

#include <algorithm>
#include <string>

#include "fanin/hw/error.hpp"

namespace fanin::model {
namespace {

constexpr std::string_view kForm = "none, or numbers 1 to 9 joined by +, with options as in 4:k=8";

/// Cuts the part before `separator` off `rest`.
std::string_view take(std::string_view& rest, char separator) {
  const std::size_t end = rest.find(separator);
  const std::string_view part = rest.substr(0, end);
  rest = end == std::string_view::npos ? std::string_view{} : rest.substr(end + 1);
  return part;
}

Fix parse_one(std::string_view text) {
  std::string_view rest = text;
  const std::string_view number = take(rest, ':');
  if (number.size() != 1 || number[0] < '1' || number[0] > '9') {
    throw InputError("fix", "'" + std::string(text) + "'", std::string(kForm));
  }
  Fix fix;
  fix.number = number[0] - '0';
  while (!rest.empty()) {
    const std::string_view option = take(rest, ':');
    const std::size_t equals = option.find('=');
    if (equals == 0 || equals == std::string_view::npos || equals + 1 == option.size()) {
      throw InputError("fix", "option '" + std::string(option) + "'", std::string(kForm));
    }
    fix.options[std::string(option.substr(0, equals))] = std::string(option.substr(equals + 1));
  }
  return fix;
}

}  // namespace

std::vector<Fix> parse_fixes(std::string_view text) {
  std::vector<Fix> fixes;
  if (text.empty() || text == "none") return fixes;
  if (text.back() == '+')
    throw InputError("fix", "'" + std::string(text) + "'", std::string(kForm));
  std::string_view rest = text;
  while (!rest.empty()) {
    Fix fix = parse_one(take(rest, '+'));
    const bool twice = std::any_of(fixes.begin(), fixes.end(),
                                   [&](const Fix& other) { return other.number == fix.number; });
    if (twice)
      throw InputError("fix", std::to_string(fix.number) + " occurs twice", std::string(kForm));
    fixes.push_back(std::move(fix));
  }
  return fixes;
}

}  // namespace fanin::model
