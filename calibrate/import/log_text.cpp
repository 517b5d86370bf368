#include "log_text.hpp"

#include <algorithm>
#include <cmath>
#include <cstdlib>
#include <string>

namespace fanin::calibrate {
namespace {

constexpr std::string_view kDigits = "0123456789.eE+-";

std::optional<double> to_number(std::string_view text) {
  const std::string digits(text.substr(0, 40));
  char* end = nullptr;
  const double value = std::strtod(digits.c_str(), &end);
  if (digits.empty() || end == digits.c_str() || !std::isfinite(value)) return std::nullopt;
  return value;
}

}  // namespace

std::optional<std::string_view> after(std::string_view line, std::string_view key) {
  const std::size_t at = line.find(key);
  if (at == std::string_view::npos) return std::nullopt;
  return line.substr(at + key.size());
}

std::optional<double> number_after(std::string_view line, std::string_view key) {
  auto rest = after(line, key);
  if (!rest) return std::nullopt;
  rest->remove_prefix(std::min(rest->find_first_not_of(' '), rest->size()));
  return to_number(rest->substr(0, rest->find_first_not_of(kDigits)));
}

std::optional<int> whole_after(std::string_view line, std::string_view key) {
  const auto value = number_after(line, key);
  if (!value || *value != std::floor(*value) || std::abs(*value) > 1e9) return std::nullopt;
  return static_cast<int>(*value);
}

std::optional<double> number_before(std::string_view line, std::string_view unit) {
  const std::size_t at = line.find(unit);
  if (at == std::string_view::npos) return std::nullopt;
  std::string_view head = line.substr(0, at);
  head = head.substr(0, head.find_last_not_of(' ') + 1);
  const std::size_t start = head.find_last_not_of(kDigits);
  return to_number(start == std::string_view::npos ? head : head.substr(start + 1));
}

void put_stated(nlohmann::ordered_json& row, const StatedFields& set) {
  for (const auto& [field, text] : set) row[field] = typed_value(field, text, "--set");
}

}  // namespace fanin::calibrate
