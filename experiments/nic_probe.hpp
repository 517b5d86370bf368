// What the emulated NIC holds of what it is asked for, measured from outside: its floor, its
// service under backlog and under Poisson load, its order, and every programmable cost.
#pragma once

#include <array>
#include <functional>
#include <optional>
#include <string>
#include <vector>

namespace fanin::experiments {

struct NicRow {
  std::string test;              ///< "floor", "backlog", "load", "order", "cost", "latency"
  std::string setting;           ///< NIC settings by name, e.g. "free-serve_atomic_ns28"
  std::string what;              ///< in words
  double asked_ns = 0;           ///< what the settings promise
  double held_ns = 0;            ///< what was measured: median over the repeats
  std::array<double, 2> ci95{};  ///< of held_ns, by probe::join
  double resolution_ns = 0;    ///< of held_ns, where it reads in steps; the interval is no narrower
  double goal_pct = 0;         ///< largest deviation that GOALS.md allows, in percent; 0: no goal
  double goal_ns = 0;          ///< largest value that GOALS.md allows; 0: no goal
  std::optional<double> load;  ///< of the server, 0…1
  std::optional<double> response_ns;  ///< mean from arrival to effect, without the constant part
  std::optional<double> md1_response_ns;  ///< of an M/D/1 queue with the service asked for
  long long operations = 0;
  long long inversions = 0;
  long long pairs = 0;
  unsigned late_ns = 0;  ///< worst lateness of the server thread

  /// Unlike any other row's.
  std::string figure() const;
  double error_pct() const;
  bool missed() const;
};

struct NicProbeOptions {
  bool quick = false;  ///< a tenth of the operations
  int repeats = 3;     ///< of all rows in turn
  std::function<void(const std::string&)> progress;
};

std::vector<NicRow> probe_nic(const NicProbeOptions& options);

}  // namespace fanin::experiments
