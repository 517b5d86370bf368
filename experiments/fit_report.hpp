// What `fanin fit` says: as JSON and as tables.
#pragma once

#include <cstddef>
#include <string>
#include <vector>

#include "fanin/calibrate/law_contest.hpp"
#include "fanin/calibrate/law_next.hpp"
#include "fanin/calibrate/law_slopes.hpp"
#include "output.hpp"

namespace fanin::experiments {

struct FitReport {
  const calibrate::Contest& contest;
  std::vector<calibrate::Slope> slopes;             ///< predicted_ns in the order of contest.laws
  std::vector<const calibrate::LawFit*> separated;  ///< laws that `next` tells apart
  std::vector<calibrate::NextRun> next;
  std::vector<std::string> warnings;
  std::map<std::string, std::size_t> skipped;  ///< lines and rows that were not fitted
  std::string holdout;                         ///< as given; empty for none
  bool show_rows = false;
};

Json to_json(const FitReport& report);
void print(const FitReport& report);

}  // namespace fanin::experiments
