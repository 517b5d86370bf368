#include "fanin/hw/error.hpp"

#include <utility>

namespace fanin {
namespace {

/// What was read from a broken file may hold control characters, which a terminal would obey.
std::string one_line(std::string text) {
  for (char& c : text) {
    const auto code = static_cast<unsigned char>(c);
    if (code < 0x20 || code == 0x7F) c = ' ';
  }
  return text;
}

std::string compose(const std::string& where, const std::string& problem,
                    const std::string& expected) {
  std::string line = where + ": " + problem;
  if (!expected.empty()) line += "; expected " + expected;
  return one_line(std::move(line));
}

}  // namespace

InputError::InputError(std::string where, std::string what, std::string expected)
    : std::runtime_error(compose(where, what, expected)),
      where_(std::move(where)),
      problem_(std::move(what)),
      expected_(std::move(expected)) {}

InputError InputError::at(const std::string& outer) const {
  return {outer + ": " + where_, problem_, expected_};
}

}  // namespace fanin
