// --law NAME|FILE: a law fitted now, or one that `fanin fit --save` wrote, as a predictor.
#pragma once

#include <string>
#include <vector>

#include "fanin/calibrate/law_predictor.hpp"
#include "fanin/calibrate/record.hpp"

namespace fanin::experiments {

/// Whether --law means a saved fit: it is no law's name, and looks like a file.
bool is_law_file(const std::string& name_or_file);

/// Fits the law `name` to the valid rows of `records`. Throws InputError ("--law") when the law
/// does not exist, reads fields that the rows do not state, or cannot be determined by them.
calibrate::LawPredictor fit_now(const std::string& name,
                                const std::vector<calibrate::Record>& records,
                                const calibrate::LawFitOptions& options);

}  // namespace fanin::experiments
