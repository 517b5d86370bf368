// One number of a machine: value, unit, interval, and where it comes from.
#pragma once

#include <array>
#include <optional>
#include <span>
#include <string>
#include <string_view>

namespace fanin::hw {

/// Where a value comes from. `literature` also covers priors that were written down but never
/// measured on this machine.
enum class Source { measured, fitted, literature };

std::string_view to_string(Source source);

/// How calibration may move a parameter: log-normally around its prior, or along with another one.
struct FitDeclaration {
  double prior = 0.0;   ///< > 0, in the registry's unit
  double factor = 2.0;  ///< > 1: one standard deviation is this factor, either way
  std::string tied_to;  ///< a free parameter whose value this one takes; empty: it has its own
};

struct Parameter {
  double value = 0.0;                         ///< in `unit`
  std::string unit;                           ///< as the registry states it
  std::optional<std::array<double, 2>> ci95;  ///< 95% interval [low, high], same unit
  Source source = Source::literature;
  std::string reference;                   ///< command, paper or note that gave the value
  bool identified = true;                  ///< false: the data did not move it from its prior
  std::optional<FitDeclaration> fit = {};  ///< absent: calibration leaves it alone
};

/// What a parameter means, for every machine. The registry is the only list of names; a profile
/// that names another one is refused with the nearest known name.
struct ParameterSpec {
  std::string_view name;       ///< dotted, e.g. "nic.responder.fetch_add"
  std::string_view unit;       ///< "us", "ns", "GB/s", "MHz", "B" or "count"
  double low;                  ///< smallest value accepted, in unit
  double high;                 ///< largest value accepted, in unit
  double prior;                ///< value of a profile that does not state one
  std::string_view meaning;    ///< one sentence, with the formula where there is one
  std::string_view reference;  ///< where the prior comes from
  /// false: it describes the machine, for those who measure or compare it, and no prediction
  /// depends on it.
  bool simulated = true;
};

/// Every parameter that there is, sorted by name.
std::span<const ParameterSpec> parameter_registry();

/// nullptr when there is no such parameter.
const ParameterSpec* find_parameter(std::string_view name);

/// The registered name with the smallest edit distance, for error messages.
std::string_view nearest_parameter(std::string_view name);

}  // namespace fanin::hw
