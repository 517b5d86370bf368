#include <algorithm>
#include <cmath>
#include <map>
#include <stdexcept>

#include "fanin/calibrate/fit_plan.hpp"
#include "fanin/hw/error.hpp"

namespace fanin::calibrate {
namespace {

/// Below every range that the registry has, and above where a logarithm loses sense.
constexpr double kLeast = 1e-6;

double number_of(const std::string& text, const std::string& flag, const std::string& whole) {
  try {
    std::size_t used = 0;
    const double value = std::stod(text, &used);
    if (used == text.size() && std::isfinite(value)) return value;
  } catch (const std::exception&) {
  }
  throw InputError(flag, "'" + whole + "': '" + text + "' is no number", "a number");
}

const hw::ParameterSpec& spec_of(const std::string& name, const std::string& flag) {
  if (const hw::ParameterSpec* spec = hw::find_parameter(name)) return *spec;
  throw InputError(flag, "unknown parameter '" + name + "'",
                   "'" + std::string(hw::nearest_parameter(name)) + "'?");
}

hw::Parameter& entry(hw::Profile& profile, const std::string& name, const std::string& flag) {
  const hw::ParameterSpec& spec = spec_of(name, flag);
  const auto [it, added] = profile.parameters.try_emplace(name);
  if (added) {
    it->second.value = spec.prior;
    it->second.unit = std::string(spec.unit);
    it->second.reference = std::string(spec.reference);
  }
  return it->second;
}

std::pair<std::string, std::string> cut(const std::string& text, char at) {
  const std::size_t position = text.find(at);
  if (position == std::string::npos) return {text, ""};
  return {text.substr(0, position), text.substr(position + 1)};
}

/// The same for a parameter that is to be fitted.
hw::Parameter& fitted_entry(hw::Profile& profile, const std::string& name,
                            const std::string& flag) {
  if (!spec_of(name, flag).simulated) {
    throw InputError(flag, "parameter '" + name + "'",
                     "one that the simulator reads; this one only describes the machine");
  }
  return entry(profile, name, flag);
}

void apply(hw::Profile& profile, const PlanChanges& changes) {
  for (const std::string& text : changes.fixed) {
    const auto [name, value] = cut(text, '=');
    hw::Parameter& parameter = entry(profile, name, "--fix-parameter");
    parameter.fit.reset();
    if (!value.empty()) parameter.value = number_of(value, "--fix-parameter", text);
  }
  for (const std::string& text : changes.free) {
    const auto [left, factor] = cut(text, '~');
    const auto [name, prior] = cut(left, '=');
    hw::Parameter& parameter = fitted_entry(profile, name, "--free");
    hw::FitDeclaration fit;
    if (parameter.fit && parameter.fit->tied_to.empty()) fit = *parameter.fit;
    if (!(fit.prior > 0.0)) fit.prior = parameter.value;
    if (!prior.empty()) fit.prior = parameter.value = number_of(prior, "--free", text);
    if (!factor.empty()) fit.factor = number_of(factor, "--free", text);
    if (!(fit.prior > 0.0) || !(fit.factor > 1.0)) {
      throw InputError("--free", "'" + text + "'", "a prior above 0 and a factor above 1");
    }
    parameter.fit = fit;
  }
  for (const std::string& text : changes.tied) {
    const auto [name, other] = cut(text, '=');
    if (other.empty()) throw InputError("--tie", "'" + text + "'", "NAME=OTHER");
    fitted_entry(profile, name, "--tie").fit = hw::FitDeclaration{1.0, 2.0, other};
  }
}

}  // namespace

FitPlan FitPlan::of(const hw::Profile& start, const PlanChanges& changes) {
  FitPlan plan;
  plan.base_ = start;
  plan.base_.ensemble.clear();
  apply(plan.base_, changes);
  std::map<std::string, std::size_t> index;
  for (const auto& [name, parameter] : plan.base_.parameters) {
    if (!parameter.fit || !parameter.fit->tied_to.empty()) continue;
    const hw::ParameterSpec& spec = spec_of(name, "parameters");
    FreeParameter free;
    free.names = {name};
    free.prior = parameter.fit->prior;
    free.factor = parameter.fit->factor;
    free.low = std::max(spec.low, kLeast);
    free.high = spec.high;
    free.start =
        std::clamp(parameter.value > 0.0 ? parameter.value : free.prior, free.low, free.high);
    index[name] = plan.free_.size();
    plan.free_.push_back(free);
  }
  for (const auto& [name, parameter] : plan.base_.parameters) {
    if (!parameter.fit || parameter.fit->tied_to.empty()) continue;
    const auto target = index.find(parameter.fit->tied_to);
    if (target == index.end()) {
      throw InputError("parameter " + name, "tied to '" + parameter.fit->tied_to + "'",
                       "a parameter that is free");
    }
    plan.free_[target->second].names.push_back(name);
  }
  if (plan.free_.empty()) {
    throw InputError("profile " + start.name, "declares no free parameter",
                     "\"fit\" entries, or --free NAME");
  }
  return plan;
}

hw::Profile FitPlan::at(std::span<const double> log_values) const {
  hw::Profile profile = base_;
  for (std::size_t i = 0; i < free_.size(); ++i) {
    const double value = std::clamp(std::exp(log_values[i]), free_[i].low, free_[i].high);
    for (const std::string& name : free_[i].names)
      profile.parameters.find(name)->second.value = value;
  }
  return profile;
}

std::vector<double> FitPlan::prior_logs() const {
  std::vector<double> logs;
  for (const FreeParameter& parameter : free_) logs.push_back(std::log(parameter.prior));
  return logs;
}

std::vector<double> FitPlan::start_logs() const {
  std::vector<double> logs;
  for (const FreeParameter& parameter : free_) logs.push_back(std::log(parameter.start));
  return logs;
}

}  // namespace fanin::calibrate
