// The two ways through a program's schedules.
#pragma once

#include "fanin/model/safety.hpp"
#include "relations.hpp"

namespace fanin::model::safety {

/// Depth first over all schedules (or, with reduction, one of each class of equivalent ones), each
/// state once. Stops at Options::max_states.
Verdict exhaust(const Relations& relations, const Options& options);

/// Options::samples schedules, each to its end or first violation, drawn to favour rare orders.
Verdict sample(const Relations& relations, const Options& options);

}  // namespace fanin::model::safety
