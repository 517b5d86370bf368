// Every accuracy and speed goal with the figure that was reached.
#pragma once

#include <map>
#include <string>
#include <vector>

#include "goals_table.hpp"
#include "output.hpp"

namespace fanin::experiments {

/// Figures by Goal::key; what is not there was not measured.
using Figures = std::map<std::string, double>;

struct GoalLine {
  const Goal* goal = nullptr;
  bool measured = false;
  double reached = 0.0;
  bool met = false;  ///< false also when not measured
};

/// Accuracy: fits the laws, predicts the recorded and own rows with the committed profiles, and
/// reads held-out errors from the profiles' calibration reports.
Figures accuracy_figures();

/// Speed: from Google Benchmark's JSON, names as in the table. Throws InputError for a file that is
/// none.
Figures speed_figures(const std::string& bench_file);

std::vector<GoalLine> compare(const Figures& figures);

/// Whether no measured goal is missed.
bool all_met(const std::vector<GoalLine>& lines);

Json to_json(const std::vector<GoalLine>& lines);
void print(const std::vector<GoalLine>& lines);

}  // namespace fanin::experiments
