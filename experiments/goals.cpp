#include "goals.hpp"

#include <algorithm>
#include <cmath>
#include <cstdio>

#include "table.hpp"

namespace fanin::experiments {

std::vector<GoalLine> compare(const Figures& figures) {
  std::vector<GoalLine> lines;
  for (const Goal& goal : kGoals) {
    GoalLine line{&goal, false, 0.0, false};
    const auto figure = figures.find(std::string(goal.key));
    if (figure != figures.end() && std::isfinite(figure->second)) {
      line.measured = true;
      line.reached = figure->second;
      line.met = goal.at_most ? line.reached <= goal.limit : line.reached >= goal.limit;
    }
    lines.push_back(line);
  }
  return lines;
}

bool all_met(const std::vector<GoalLine>& lines) {
  return std::all_of(lines.begin(), lines.end(),
                     [](const GoalLine& line) { return line.met || !line.measured; });
}

Json to_json(const std::vector<GoalLine>& lines) {
  Json json{{"goals", Json::array()}, {"all_met", all_met(lines)}};
  for (const GoalLine& line : lines) {
    json["goals"].push_back({{"key", line.goal->key},
                             {"what", line.goal->what},
                             {"unit", line.goal->unit},
                             {"goal", line.goal->limit},
                             {"at_most", line.goal->at_most},
                             {"reached", line.measured ? Json(line.reached) : Json(nullptr)},
                             {"status", !line.measured ? "not measured"
                                        : line.met     ? "met"
                                                       : "missed"}});
  }
  return json;
}

void print(const std::vector<GoalLine>& lines) {
  Table table({"goal", "limit", "reached", ""}, "lrrl");
  for (const GoalLine& line : lines) {
    const std::string unit(line.goal->unit);
    table.row({std::string(line.goal->what),
               (line.goal->at_most ? "≤ " : "≥ ") + significant(line.goal->limit, 4) + " " + unit,
               line.measured ? significant(line.reached, 4) + " " + unit : "not measured",
               !line.measured ? ""
               : line.met     ? "met"
                              : "missed"});
  }
  table.print();
}

}  // namespace fanin::experiments
