#include "fanin/model/fixes_text.hpp"

#include <algorithm>
#include <charconv>
#include <string>

#include "fanin/hw/error.hpp"
#include "fanin/model/fixes.hpp"

namespace fanin::model {
namespace {

/// What was expected.
std::string form() {
  return "none, or numbers 1 to " + std::to_string(kFixes) +
         " joined by +, with options as in 4:k=8";
}

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
  Fix fix;
  const auto [end, error] =
      std::from_chars(number.data(), number.data() + number.size(), fix.number);
  if (error != std::errc{} || end != number.data() + number.size() || number[0] == '0' ||
      fix.number < 1 || fix.number > kFixes) {
    throw InputError("fix", "'" + std::string(text) + "'", form());
  }
  while (!rest.empty()) {
    const std::string_view option = take(rest, ':');
    const std::size_t equals = option.find('=');
    if (equals == 0 || equals == std::string_view::npos || equals + 1 == option.size()) {
      throw InputError("fix", "option '" + std::string(option) + "'", form());
    }
    fix.options[std::string(option.substr(0, equals))] = std::string(option.substr(equals + 1));
  }
  return fix;
}

}  // namespace

std::vector<Fix> parse_fixes(std::string_view text) {
  std::vector<Fix> fixes;
  if (text.empty() || text == "none") return fixes;
  if (text.back() == '+') throw InputError("fix", "'" + std::string(text) + "'", form());
  std::string_view rest = text;
  while (!rest.empty()) {
    Fix fix = parse_one(take(rest, '+'));
    const bool twice = std::any_of(fixes.begin(), fixes.end(),
                                   [&](const Fix& other) { return other.number == fix.number; });
    if (twice) throw InputError("fix", std::to_string(fix.number) + " occurs twice", form());
    fixes.push_back(std::move(fix));
  }
  return fixes;
}

}  // namespace fanin::model
