// How verify shows what it found.
#pragma once

#include <string>
#include <vector>

#include "fanin/model/safety.hpp"
#include "output.hpp"
#include "verify_plan.hpp"

namespace fanin::experiments {

/// The keys of one variant's verdict, with what it should have been.
Json verdict_json(const VariantResult& result);

/// A verdict in words and, for an unsafe variant, the schedule step by step.
std::string verdict_text(const VariantResult& result);

/// One line a variant.
void print_verdict_table(const std::vector<VariantResult>& results);

/// The schedule for ui.perfetto.dev: a track an actor, a slice a step, arrows from what each step
/// had to wait for. One step lasts 1 µs there; the explorer knows order, not time.
Json schedule_trace(const model::safety::Counterexample& found);

}  // namespace fanin::experiments
