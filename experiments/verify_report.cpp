#include "verify_report.hpp"

#include <algorithm>
#include <cstdint>
#include <map>

#include "table.hpp"

namespace fanin::experiments {
namespace {

namespace safety = model::safety;

Json counterexample_json(const safety::Counterexample& found) {
  Json steps = Json::array();
  for (const safety::ScheduleLine& line : found.lines) {
    steps.push_back({{"exchange", line.exchange},
                     {"actor", line.actor},
                     {"step", line.text},
                     {"after", line.causes}});
  }
  return {{"kind", safety::to_string(found.kind)},
          {"what", found.text},
          {"system", found.system},
          {"steps", std::move(steps)}};
}

std::string description(const VariantResult& result) {
  const std::string& wrong = result.variant.wrong;
  return wrong.empty() ? "" : safety::describe_wrong(wrong);
}

std::string verdict_word(const VariantResult& result) {
  return result.verdict.safe() ? "safe" : "unsafe";
}

}  // namespace

Json verdict_json(const VariantResult& result) {
  const safety::Verdict& verdict = result.verdict;
  Json json;
  json["variant"] = safety::to_string(result.variant);
  json["expected"] = result.expected_safe ? "safe" : "unsafe";
  json["states"] = verdict.states;
  json["schedules"] = verdict.schedules;
  json["sampled_schedules"] = result.sampled;
  json["exhausted"] = verdict.exhausted;
  json["exhausted_systems"] = result.systems_exhausted;
  json["violations"] = verdict.violations;
  json["first_violation"] = nullptr;
  if (verdict.first_violation)
    json["first_violation"] = counterexample_json(*verdict.first_violation);
  return json;
}

std::string verdict_text(const VariantResult& result) {
  const safety::Verdict& verdict = result.verdict;
  std::string text = safety::to_string(result.variant) + ": " + verdict_word(result);
  if (!result.as_expected()) text += ", which was not expected";
  const std::string what = description(result);
  if (!what.empty()) text += "\n  " + what;
  text += "\n  " + std::to_string(verdict.states) + " states of " +
          std::to_string(result.systems_exhausted) + " systems exhausted" +
          (verdict.exhausted ? "" : " (some gave up at the state limit)") + ", " +
          std::to_string(result.sampled) + " schedules sampled, " +
          std::to_string(verdict.violations) + " violations\n";
  if (!verdict.first_violation) return text;
  const safety::Counterexample& found = *verdict.first_violation;
  text += "\nShortest schedule found, " + std::to_string(found.lines.size()) + " steps (" +
          found.system + "):\n";
  for (std::size_t i = 0; i < found.lines.size(); ++i) {
    const safety::ScheduleLine& line = found.lines[i];
    const std::string number = std::to_string(i + 1);
    text += std::string(number.size() < 4 ? 4 - number.size() : 0, ' ') + number + "  exchange " +
            std::to_string(line.exchange) + "  " + line.actor + ": " + line.text + "\n";
  }
  text += "  => " + safety::to_string(found.kind) + ": " + found.text + "\n";
  return text;
}

void print_verdict_table(const std::vector<VariantResult>& results) {
  Table table({"variant", "expected", "found", "states", "sampled", "exhausted", "violations",
               "steps", "first violation"},
              "lllrrlrrl");
  for (const VariantResult& result : results) {
    const auto& found = result.verdict.first_violation;
    table.row({safety::to_string(result.variant), result.expected_safe ? "safe" : "unsafe",
               verdict_word(result), std::to_string(result.verdict.states),
               std::to_string(result.sampled), result.verdict.exhausted ? "yes" : "no",
               std::to_string(result.verdict.violations),
               found ? std::to_string(found->lines.size()) : "",
               found ? safety::to_string(found->kind) : ""});
  }
  table.print();
}

Json schedule_trace(const safety::Counterexample& found) {
  Json events = Json::array();
  std::map<std::string, int> tracks;
  std::int64_t arrow = 0;
  const auto event = [&](const char* phase, std::size_t at, int track) {
    return Json{{"ph", phase}, {"ts", at}, {"pid", 1}, {"tid", track}};
  };
  for (const safety::ScheduleLine& line : found.lines) {
    const auto [track, is_new] =
        tracks.try_emplace(line.actor, static_cast<int>(tracks.size()) + 1);
    if (!is_new) continue;
    events.push_back({{"ph", "M"},
                      {"name", "thread_name"},
                      {"pid", 1},
                      {"tid", track->second},
                      {"args", {{"name", line.actor}}}});
  }
  for (std::size_t i = 0; i < found.lines.size(); ++i) {
    const safety::ScheduleLine& line = found.lines[i];
    Json slice = event("X", i, tracks.at(line.actor));
    slice["dur"] = 0.9;
    slice["name"] = line.text;
    slice["args"] = {{"exchange", line.exchange}, {"step", i + 1}};
    events.push_back(std::move(slice));
    for (const int cause : line.causes) {
      Json from = event("s", static_cast<std::size_t>(cause), tracks.at(found.lines[cause].actor));
      Json to = event("f", i, tracks.at(line.actor));
      for (Json* end : {&from, &to}) {
        (*end)["name"] = "waits for";
        (*end)["cat"] = "order";
        (*end)["id"] = arrow;
      }
      to["bp"] = "e";
      ++arrow;
      events.push_back(std::move(from));
      events.push_back(std::move(to));
    }
  }
  if (!found.lines.empty()) {
    Json mark = event("i", found.lines.size() - 1, tracks.at(found.lines.back().actor));
    mark["name"] = safety::to_string(found.kind) + ": " + found.text;
    mark["s"] = "g";
    events.push_back(std::move(mark));
  }
  return {{"traceEvents", std::move(events)}, {"displayTimeUnit", "ns"}};
}

}  // namespace fanin::experiments
