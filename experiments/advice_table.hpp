// Advice for several A:F ratios and token counts, one row a case.
#pragma once

#include <string>
#include <vector>

#include "advice.hpp"
#include "output.hpp"

namespace fanin::experiments {

struct AdvisedCase {
  std::string ratio;   ///< "3:1", as the command line states it; may be empty
  std::string tokens;  ///< of one Attention GPU
  Advice advice;
};

/// {"cases":[{"ratio","tokens", …what one advice has…}]}
Json to_json(const std::vector<AdvisedCase>& cases);

/// Columns of an objective that no case has (compute, recorded, stock) are left out.
void print(const std::vector<AdvisedCase>& cases, const std::string& predictor);

}  // namespace fanin::experiments
