#include "time_unit.hpp"

namespace fanin::calibrate {
namespace {

struct Unit {
  std::string_view text;
  double microseconds;
};

constexpr Unit kUnits[] = {{"us", 1.0}, {"usec", 1.0}, {"\xC2\xB5s", 1.0}, {"\xCE\xBCs", 1.0},
                           {"ms", 1e3}, {"msec", 1e3}, {"ns", 1e-3},       {"nsec", 1e-3},
                           {"s", 1e6},  {"sec", 1e6},  {"seconds", 1e6},   {"ps", 1e-6}};

std::string_view strip_end(std::string_view text, std::string_view characters) {
  const std::size_t last = text.find_last_not_of(characters);
  return last == std::string_view::npos ? std::string_view{} : text.substr(0, last + 1);
}

}  // namespace

std::optional<TimeHeading> time_heading(std::string_view heading) {
  const std::string_view open = strip_end(heading, " )]");
  const std::size_t at = open.find_last_of("_ ([/");
  if (at == std::string_view::npos || at == 0) return std::nullopt;
  const std::string_view word = open.substr(at + 1);
  for (const Unit& unit : kUnits) {
    if (word == unit.text)
      return TimeHeading{std::string(strip_end(open.substr(0, at + 1), "_ ([/")),
                         unit.microseconds};
  }
  return std::nullopt;
}

}  // namespace fanin::calibrate
