// Where a profile was fitted, so that a prediction elsewhere can be marked as extrapolated.
#pragma once

#include <string>
#include <vector>

#include "fanin/calibrate/law_rows.hpp"
#include "fanin/hw/profile.hpp"

namespace fanin::experiments {

class FittedDomain {
 public:
  /// Of those rows of `known` that the profile lists as fitted.
  FittedDomain(const hw::Profile& profile, const std::vector<calibrate::Record>& known);

  /// Fields in which the row lies outside the fitted ones, as LawDomain states them; {"every
  /// field"} where the profile was fitted on no row at all. Empty where its fitted rows are not
  /// known here.
  std::vector<std::string> outside(const calibrate::Record& row) const;

  /// The same for an exchange on the profile's own cluster.
  std::vector<std::string> outside(const model::Exchange& exchange) const;

 private:
  std::string cluster_;
  bool fitted_;
  calibrate::LawDomain domain_;
};

}  // namespace fanin::experiments
