#include "fit_report.hpp"

#include <algorithm>
#include <cstdio>

#include "table.hpp"

namespace fanin::experiments {
namespace {

using calibrate::Contestant;
using calibrate::LawFit;
using calibrate::Standing;

std::string text(std::string_view view) { return std::string(view); }

void print_laws(const FitReport& report) {
  std::vector<std::string> headings{"law", "formula", "worst %", "rms %", "left-one-out rms %"};
  if (!report.holdout.empty()) headings.emplace_back("held-out worst %");
  headings.emplace_back("verdict");
  Table table(std::move(headings), report.holdout.empty() ? "llrrrl" : "llrrrrl");
  for (const Contestant& contestant : report.contest.laws) {
    const LawFit& fit = contestant.fit;
    std::vector<std::string> cells{text(fit.law->name), text(fit.law->formula),
                                   fixed(fit.in_sample.max_abs, 2), fixed(fit.in_sample.rms, 2),
                                   fixed(fit.left_out.rms, 2)};
    if (contestant.held_out) cells.push_back(fixed(contestant.held_out->errors.max_abs, 2));
    cells.push_back(text(to_string(contestant.standing)));
    table.row(std::move(cells));
  }
  table.print();
}

void print_parameters(const FitReport& report) {
  Table table({"law", "parameter", "value", "unit", "95% interval", "meaning"}, "llrlll");
  for (const Contestant& contestant : report.contest.laws) {
    const LawFit& fit = contestant.fit;
    for (std::size_t j = 0; j < fit.values.size(); ++j) {
      const model::LawParameter& parameter = fit.law->parameters[j];
      table.row({j == 0 ? text(fit.law->name) : "", text(parameter.name),
                 significant(fit.values[j], 4), text(parameter.unit),
                 interval(fit.ci95[j][0], fit.ci95[j][1], 4), text(parameter.meaning)});
    }
  }
  std::puts("");
  table.print();
}

void print_alternatives(const FitReport& report) {
  for (const Contestant& contestant : report.contest.laws) {
    const LawFit& fit = contestant.fit;
    for (const std::vector<double>& values : fit.alternatives) {
      std::string line;
      for (std::size_t j = 0; j < values.size(); ++j) {
        line += (j == 0 ? "" : ", ") + text(fit.law->parameters[j].name) + " = " +
                significant(values[j], 4) + " " + text(fit.law->parameters[j].unit);
      }
      std::printf("%s fits nearly as well with %s\n", text(fit.law->name).c_str(), line.c_str());
    }
  }
}

/// 1 : x : y …, relative to the first entry.
std::string ratio(const std::vector<double>& slopes) {
  std::string line;
  for (const double slope : slopes) {
    line += (line.empty() ? "" : " : ") + fixed(slope / slopes.front(), 2);
  }
  return line;
}

/// One line for each number of sources and tokens, one column for each law.
void print_slope_lines(const FitReport& report) {
  std::vector<std::string> headings{"sources", "tokens", "measured ns per channel"};
  for (const Contestant& contestant : report.contest.laws) {
    headings.push_back(text(contestant.fit.law->name));
  }
  Table table(std::move(headings), "rr");
  for (const calibrate::Slope& slope : report.slopes) {
    std::vector<std::string> cells{significant(slope.sources, 6), significant(slope.tokens, 6),
                                   fixed(slope.measured_ns, 1)};
    for (const double predicted : slope.predicted_ns) cells.push_back(fixed(predicted, 1));
    table.row(std::move(cells));
  }
  table.print();
}

/// One line for each law, so that 1:2:3 against equal slopes is seen at a glance.
void print_slope_ratios(const FitReport& report) {
  std::vector<std::string> headings{"slope over channels, ns"};
  for (const calibrate::Slope& slope : report.slopes) {
    headings.push_back("S = " + significant(slope.sources, 6));
  }
  headings.emplace_back("ratio");
  Table table(std::move(headings), "l" + std::string(report.slopes.size(), 'r') + "l");
  const auto add = [&](const std::string& name, auto&& get) {
    std::vector<std::string> cells{name};
    std::vector<double> slopes;
    for (const calibrate::Slope& slope : report.slopes) {
      slopes.push_back(get(slope));
      cells.push_back(fixed(slopes.back(), 1));
    }
    cells.push_back(ratio(slopes));
    table.row(std::move(cells));
  };
  add("measured", [](const calibrate::Slope& slope) { return slope.measured_ns; });
  for (std::size_t k = 0; k < report.contest.laws.size(); ++k) {
    add(text(report.contest.laws[k].fit.law->name),
        [&](const calibrate::Slope& slope) { return slope.predicted_ns[k]; });
  }
  table.print();
}

void print_slopes(const FitReport& report) {
  if (report.slopes.size() < 2) return;
  std::puts("");
  const double tokens = report.slopes.front().tokens;
  const bool one_token_count =
      std::all_of(report.slopes.begin(), report.slopes.end(),
                  [&](const calibrate::Slope& slope) { return slope.tokens == tokens; });
  if (one_token_count) {
    print_slope_ratios(report);
  } else {
    print_slope_lines(report);
  }
}

void print_verdict(const FitReport& report) {
  const calibrate::Contest& contest = report.contest;
  if (!contest.best) {
    std::puts("\nNo law has an error on rows that it was not fitted on: no verdict.");
    return;
  }
  const Contestant& best = contest.laws[*contest.best];
  std::string others[2];  // stand, rejected
  for (const Contestant& contestant : contest.laws) {
    if (contestant.standing != Standing::stands && contestant.standing != Standing::rejected) {
      continue;
    }
    std::string& list = others[contestant.standing == Standing::rejected ? 1 : 0];
    list += (list.empty() ? "" : ", ") + text(contestant.fit.law->name);
  }
  if (best.held_out) {
    std::printf("\nBest on the held-out rows (%s): %s, worst row %s%%.\n", report.holdout.c_str(),
                text(best.fit.law->name).c_str(), fixed(best.held_out->errors.max_abs, 2).c_str());
  } else {
    std::printf("\nBest on rows left out one at a time: %s, rms %s%%.\n",
                text(best.fit.law->name).c_str(), fixed(best.fit.left_out.rms, 2).c_str());
  }
  if (!others[1].empty()) {
    std::printf("Rejected (worse in at least 95%% of resamples of those rows): %s.\n",
                others[1].c_str());
  }
  if (!others[0].empty()) {
    std::printf("Not told from the best by these rows: %s.\n", others[0].c_str());
  }
}

void print_next(const FitReport& report) {
  if (report.next.empty()) return;
  std::vector<std::string> headings{"next run", "SMs", "channels", "sources", "tokens"};
  for (const LawFit* fit : report.separated) headings.push_back(text(fit->law->name) + " us");
  headings.emplace_back("separation");
  headings.emplace_back("");
  Table table(std::move(headings));
  for (std::size_t i = 0; i < report.next.size(); ++i) {
    const calibrate::NextRun& run = report.next[i];
    std::vector<std::string> cells{std::to_string(i + 1), significant(run.point.transport_sms, 6),
                                   significant(run.point.channels(), 6),
                                   significant(run.point.sources, 6),
                                   significant(run.point.tokens, 6)};
    for (const double time : run.predicted_us) cells.push_back(fixed(time, 2));
    cells.push_back(fixed(run.separation, 2));
    cells.emplace_back(run.measured ? "measured already: a repeat" : "");
    table.row(std::move(cells));
  }
  std::printf("\n%s\n", report.separated.size() > 1
                            ? "Runs that would best tell the standing laws apart:"
                            : "One law stands; runs where its prediction is least certain:");
  table.print();
}

void print_rows(const FitReport& report) {
  std::vector<std::string> headings{"row", "SMs", "sources", "tokens", "measured us"};
  for (const Contestant& contestant : report.contest.laws) {
    headings.push_back(text(contestant.fit.law->name) + " %");
  }
  Table table(std::move(headings));
  const calibrate::LawRows& rows = report.contest.rows;
  for (std::size_t i = 0; i < rows.size(); ++i) {
    std::vector<std::string> cells{rows.ids[i], significant(rows.points[i].transport_sms, 6),
                                   significant(rows.points[i].sources, 6),
                                   significant(rows.points[i].tokens, 6),
                                   fixed(rows.measured_us[i], 3)};
    for (const Contestant& contestant : report.contest.laws) {
      cells.push_back(fixed(contestant.fit.in_sample.pct[i], 2));
    }
    table.row(std::move(cells));
  }
  std::puts("");
  table.print();
}

/// Laws with the same reason on one line.
void print_refused(const FitReport& report) {
  std::vector<std::pair<std::string, std::string>> reasons;
  for (const calibrate::LawRefusal& refusal : report.contest.refused) {
    const auto known = std::find_if(reasons.begin(), reasons.end(), [&](const auto& entry) {
      return entry.first == refusal.reason;
    });
    if (known == reasons.end()) {
      reasons.emplace_back(refusal.reason, text(refusal.law->name));
    } else {
      known->second += ", " + text(refusal.law->name);
    }
  }
  if (!reasons.empty()) std::puts("");
  for (const auto& [reason, laws] : reasons) {
    std::printf("refused %s: %s\n", laws.c_str(), reason.c_str());
  }
}

}  // namespace

void print(const FitReport& report) {
  std::printf("%zu rows\n", report.contest.rows.size());
  for (const auto& [reason, count] : report.skipped) {
    std::printf("not fitted: %zu × %s\n", count, reason.c_str());
  }
  for (const std::string& warning : report.warnings) std::printf("note: %s\n", warning.c_str());
  std::puts("");
  print_laws(report);
  print_parameters(report);
  print_alternatives(report);
  print_slopes(report);
  if (report.show_rows) print_rows(report);
  print_verdict(report);
  print_refused(report);
  if (!report.contest.untried.empty()) {
    std::string list;
    for (const std::string& name : report.contest.untried)
      list += (list.empty() ? "" : ", ") + name;
    std::printf("not tried, since they do not read a field that varies (--law fits them): %s\n",
                list.c_str());
  }
  print_next(report);
}

}  // namespace fanin::experiments
