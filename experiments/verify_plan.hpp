// Which explorations decide whether a variant is safe, and running them on all cores.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "fanin/model/safety.hpp"

namespace fanin::experiments {

struct VerifyOptions {
  std::uint64_t seed = 1;
  std::uint64_t max_states = 2'000'000;  ///< per system
  std::uint64_t samples = 1'000'000;  ///< per variant that should be safe, over the large systems
  std::uint64_t symmetric_samples = 1'000'000;  ///< the same on the symmetric exchange
  bool reduction = true;
};

struct VariantResult {
  model::safety::Variant variant;
  bool expected_safe = true;
  std::uint64_t systems_exhausted = 0;
  std::uint64_t sampled = 0;
  model::safety::Verdict verdict;  ///< over all systems; `exhausted` speaks of the small ones

  bool as_expected() const { return verdict.safe() == expected_safe; }
};

/// Exhausts the small systems of every variant; a variant that should be safe also on every pattern
/// of tokens and, where reduction allows, the large systems, of which it then draws the schedules.
/// A wrong variant is sampled only until its first violation. Same options, same results, on any
/// machine.
std::vector<VariantResult> verify_variants(const std::vector<model::safety::Variant>& variants,
                                           const VerifyOptions& options);

}  // namespace fanin::experiments
