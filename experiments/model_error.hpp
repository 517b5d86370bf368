// How wrong predictions with a calibrated profile are, by the rows that its calibration held out.
#pragma once

#include <array>
#include <optional>
#include <vector>

#include "fanin/hw/profile.hpp"

namespace fanin::experiments {

class ModelError {
 public:
  /// Errors "held_out_pct" of the profile's calibration report: each row's after a fit without its
  /// set. A profile without them says nothing of its model.
  explicit ModelError(const hw::Profile& profile);
  /// 100 · (predicted − measured) / measured.
  explicit ModelError(const std::vector<double>& held_out_pct);

  /// A factor that the measured time is within, either way, of the predicted one in 95% of cases:
  /// the ceil(0.95 (n + 1))-th smallest of the n factors that the held-out rows were off by (split
  /// conformal prediction, Vovk et al. 2005, Lei et al. 2018). nullopt for n < 19, which cannot say
  /// it. It holds for exchanges like the recorded ones; where one is extrapolated it is too narrow.
  const std::optional<double>& factor() const { return factor_; }

  /// predicted / factor to predicted · factor, and what of `ci95` lies outside of it.
  std::optional<std::array<double, 2>> interval(
      double predicted_us, const std::optional<std::array<double, 2>>& ci95) const;

 private:
  std::optional<double> factor_;
};

}  // namespace fanin::experiments
