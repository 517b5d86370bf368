// --loss --weights --draws --seed: how laws are fitted. The same in every verb that fits.
#pragma once

#include <CLI/CLI.hpp>
#include <string>
#include <vector>

#include "fanin/calibrate/law_contest.hpp"

namespace fanin::experiments {

struct LawFlags {
  std::string loss = "relative";
  std::string weights = "equal";
  int draws = 1000;
  std::uint64_t seed = 1;

  void add_to(CLI::App& verb);
  calibrate::LawFitOptions options() const;
};

/// The law of that name; throws InputError ("--law") that lists the names.
const model::Law* law_named(const std::string& name);

/// Rows that deliver their data (data_valid is not false). Throws InputError when there are none.
std::vector<calibrate::Record> valid_rows(const std::vector<calibrate::Record>& records);

}  // namespace fanin::experiments
