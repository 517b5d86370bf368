// Microbenchmarks of one GPU: what a launch, a signal, a copy and a barrier cost there. They fill a
// profile with measured values.
#pragma once

#include <functional>
#include <string>
#include <vector>

#include "fanin/hw/profile.hpp"
#include "fanin/probe/stopping.hpp"

namespace fanin::probe {

/// One measured figure.
struct Figure {
  std::string name;       ///< e.g. "copy.plain.sms_16"
  std::string unit;       ///< "ns", "us", "GB/s" or "MHz"
  std::string meaning;    ///< one sentence
  std::string parameter;  ///< the profile's parameter that it measures; empty when there is none
  Estimate estimate;
  double low = 0;  ///< what this chip can do at least and at most, in unit
  double high = 0;
  /// Why the value cannot be right; empty when it lies within the chip's limits.
  std::string flag() const;
};

struct ProbeOptions {
  StoppingRule rule;
  int rounds = 1;                 ///< of all figures in turn; see join()
  std::vector<std::string> only;  ///< figures whose name starts with one of these; empty: all
  /// Called before each figure of each round.
  std::function<void(const std::string& figure, int round)> progress;
};

/// What was measured on.
struct Machine {
  std::string gpu;
  int sms = 0;
  std::string driver;
  std::string runtime;
};

/// The current CUDA device. Throws hw's InputError that says what is missing.
Machine machine();

/// Names of the figures that run_probe measures, in its order.
std::vector<std::string> figure_names();

/// Measures. Throws std::runtime_error for a CUDA error.
std::vector<Figure> run_probe(const ProbeOptions& options);

/// A profile with the parameters that `figures` measure, source `measured`, without flagged ones.
hw::Profile to_profile(const std::vector<Figure>& figures, const Machine& machine,
                       const std::string& name, const std::string& command);

}  // namespace fanin::probe
