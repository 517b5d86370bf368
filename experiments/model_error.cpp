#include "model_error.hpp"

#include <algorithm>
#include <cmath>

#include "output.hpp"

namespace fanin::experiments {
namespace {

constexpr double kShare = 0.95;

std::vector<double> held_out_of(const hw::Profile& profile) {
  std::vector<double> errors;
  const Json report = Json::parse(profile.calibration_report, nullptr, false);
  if (!report.is_object() || !report.contains("held_out_pct")) return errors;
  for (const Json& error : report["held_out_pct"]) {
    if (error.is_number()) errors.push_back(error.get<double>());
  }
  return errors;
}

}  // namespace

ModelError::ModelError(const hw::Profile& profile) : ModelError(held_out_of(profile)) {}

ModelError::ModelError(const std::vector<double>& held_out_pct) {
  std::vector<double> factors;
  for (const double error : held_out_pct) {
    const double ratio = 1.0 + error / 100.0;
    if (ratio > 0.0) factors.push_back(std::max(ratio, 1.0 / ratio));
  }
  const auto rank =
      static_cast<std::size_t>(std::ceil(kShare * (static_cast<double>(factors.size()) + 1.0)));
  if (rank > factors.size()) return;
  std::sort(factors.begin(), factors.end());
  factor_ = factors[rank - 1];
}

std::optional<std::array<double, 2>> ModelError::interval(
    double predicted_us, const std::optional<std::array<double, 2>>& ci95) const {
  if (!factor_) return std::nullopt;
  std::array<double, 2> wide{predicted_us / *factor_, predicted_us * *factor_};
  if (ci95) wide = {std::min(wide[0], (*ci95)[0]), std::max(wide[1], (*ci95)[1])};
  return wide;
}

}  // namespace fanin::experiments
