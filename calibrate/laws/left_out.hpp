// What a law says about a row when it is fitted without it.
#pragma once

#include <vector>

#include "fanin/calibrate/law_fit.hpp"
#include "solve.hpp"

namespace fanin::calibrate::laws {

/// Errors in percent, one a row: NaN where the other rows do not determine the prediction. Above
/// options.refit_rows rows by the leverages of the law linearised at the best optimum, else by
/// refitting.
std::vector<double> left_out_errors(const Design& design, const std::vector<Optimum>& optima,
                                    const LawFitOptions& options);

}  // namespace fanin::calibrate::laws
