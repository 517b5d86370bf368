// The exchanges that calibrate --next may propose.
#pragma once

#include <string>
#include <vector>

#include "fanin/calibrate/record.hpp"

namespace fanin::experiments {

/// Every combination of --grid's values (empty: SMs, sources and tokens around the rows', and fixes
/// 1, 7, 8 and 9) over the distinct path and protocol of the rows; measured ones are left out.
std::vector<model::Exchange> next_candidates(const std::vector<calibrate::Record>& records,
                                             const std::string& grid);

/// "hybrid role, 3 sources, 1 token, 24 SMs, fix 7".
std::string describe(const model::Exchange& exchange);

}  // namespace fanin::experiments
