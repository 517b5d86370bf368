#include "fanin/kernels/nic_settings.hpp"

#include <charconv>
#include <cmath>
#include <cstdio>
#include <span>
#include <string_view>
#include <variant>

#include "fanin/kernels/config_error.hpp"

namespace fanin::kernels {
namespace {

using Member = std::variant<double NicSettings::*, int NicSettings::*>;

struct Key {
  std::string_view name;
  Member member;
  double high;  ///< largest value; the smallest is 0 except where validate() says more
};

// A time of 0.1 ms an operation is far beyond any NIC and keeps the 32-bit times of a block exact.
constexpr double kMaxNs = 1e5;

constexpr Key kKeys[] = {
    {"post_ns", &NicSettings::post_ns, kMaxNs},
    {"send_atomic_ns", &NicSettings::send_atomic_ns, kMaxNs},
    {"send_write_ns", &NicSettings::send_write_ns, kMaxNs},
    {"send_gbps", &NicSettings::send_gbps, 1e6},
    {"doorbell_ns", &NicSettings::doorbell_ns, kMaxNs},
    {"queue_switch_ns", &NicSettings::queue_switch_ns, kMaxNs},
    {"wire_ns", &NicSettings::wire_ns, kMaxNs},
    {"serve_atomic_ns", &NicSettings::serve_atomic_ns, kMaxNs},
    {"serve_write_ns", &NicSettings::serve_write_ns, kMaxNs},
    {"serve_gbps", &NicSettings::serve_gbps, 1e6},
    {"lock_slots", &NicSettings::lock_slots, 512},
    {"lock_hold_ns", &NicSettings::lock_hold_ns, kMaxNs},
    {"contexts", &NicSettings::contexts, 1024},
    {"context_miss_ns", &NicSettings::context_miss_ns, kMaxNs},
    {"outstanding", &NicSettings::outstanding, 1024},
    {"ring_entries", &NicSettings::ring_entries, 65536},
    {"nics_per_sm", &NicSettings::nics_per_sm, 2},
    {"mover_sms", &NicSettings::mover_sms, 7},
};

double get(const NicSettings& settings, const Key& key) {
  return std::visit([&](auto member) { return static_cast<double>(settings.*member); }, key.member);
}

void set(NicSettings& settings, const Key& key, double value) {
  if (const auto* real = std::get_if<double NicSettings::*>(&key.member)) {
    settings.** real = value;
  } else {
    settings.*std::get<int NicSettings::*>(key.member) = static_cast<int>(value);
  }
}

std::string shortest(double value) {
  char text[32];
  std::snprintf(text, sizeof text, "%.12g", value);
  return text;
}

std::string key_names() {
  std::string names;
  for (const Key& key : kKeys) names += (names.empty() ? "" : ", ") + std::string(key.name);
  return names;
}

NicSettings base_settings(std::string_view name) {
  NicSettings settings;
  settings.base = std::string(name);
  if (name == "free") return settings;
  settings.send_atomic_ns = settings.send_write_ns = 28;
  settings.serve_atomic_ns = settings.serve_write_ns = 28;
  settings.send_gbps = settings.serve_gbps = 50;
  if (name == "locks28") {
    settings.lock_slots = 512;
    settings.lock_hold_ns = 400;
  } else if (name == "cache28") {
    settings.contexts = 64;
    settings.context_miss_ns = 500;
  } else if (name == "wire28" || name == "window28") {
    settings.wire_ns = 1580;
    if (name == "window28") settings.outstanding = 16;
  }
  return settings;
}

void apply(NicSettings& settings, std::string_view word) {
  const auto equals = word.find('=');
  if (equals == std::string_view::npos) {
    for (const std::string& name : nic_setting_names()) {
      if (name == word) {
        settings = base_settings(name);
        return;
      }
    }
    std::string names;
    for (const std::string& name : nic_setting_names()) names += (names.empty() ? "" : ", ") + name;
    throw ConfigError("--nic", "unknown setting '" + std::string(word) + "'",
                      "key=value or one of " + names);
  }
  const std::string_view name = word.substr(0, equals);
  const std::string_view text = word.substr(equals + 1);
  for (const Key& key : kKeys) {
    if (key.name != name) continue;
    double value = 0;
    const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), value);
    if (error != std::errc() || end != text.data() + text.size()) {
      throw ConfigError("--nic " + std::string(name), "'" + std::string(text) + "' is no number",
                        "a number from 0 to " + shortest(key.high));
    }
    if (!(value >= 0 && value <= key.high) ||
        (std::holds_alternative<int NicSettings::*>(key.member) && value != std::floor(value))) {
      throw ConfigError(
          "--nic " + std::string(name), std::string(text) + " is out of range",
          (std::holds_alternative<int NicSettings::*>(key.member) ? "a whole number" : "a number") +
              std::string(" from 0 to ") + shortest(key.high));
    }
    set(settings, key, value);
    return;
  }
  throw ConfigError("--nic", "unknown key '" + std::string(name) + "'", "one of " + key_names());
}

}  // namespace

std::vector<std::string> nic_setting_names() {
  return {"free", "nic28", "locks28", "cache28", "wire28", "window28"};
}

std::string NicSettings::name() const {
  const NicSettings started = base_settings(base);
  std::string text = base;
  for (const Key& key : kKeys) {
    if (get(*this, key) != get(started, key)) {
      text += "-" + std::string(key.name) + shortest(get(*this, key));
    }
  }
  return text;
}

NicSettings parse_nic_settings(const std::vector<std::string>& words) {
  NicSettings settings;
  for (const std::string& list : words) {
    std::string_view rest = list;
    while (!rest.empty()) {
      const auto comma = rest.find(',');
      const std::string_view word = rest.substr(0, comma);
      if (!word.empty()) apply(settings, word);
      rest = comma == std::string_view::npos ? std::string_view{} : rest.substr(comma + 1);
    }
  }
  validate(settings);
  return settings;
}

void validate(const NicSettings& settings) {
  for (const Key& key : kKeys) {
    const double value = get(settings, key);
    if (!(value >= 0 && value <= key.high)) {
      throw ConfigError("NIC setting " + std::string(key.name),
                        shortest(value) + " is out of range", "0 to " + shortest(key.high));
    }
  }
  const int entries = settings.ring_entries;
  if (entries < 128 || (entries & (entries - 1)) != 0) {
    throw ConfigError("NIC setting ring_entries", std::to_string(entries) + " is no such size",
                      "a power of two from 128 to 65536");
  }
  const int packed = settings.nics_per_sm;
  if (packed != 1 && packed != 2) {
    throw ConfigError("NIC setting nics_per_sm", std::to_string(packed) + " is out of range",
                      "1 or 2");
  }
}

}  // namespace fanin::kernels
