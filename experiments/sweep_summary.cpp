#include "sweep_summary.hpp"

#include <algorithm>
#include <cstdio>
#include <map>

#include "parallel.hpp"
#include "stock_sms.hpp"
#include "table.hpp"

namespace fanin::experiments {
namespace {

/// The flags that not all choices share, as "sources 3, tokens 128".
std::vector<std::string> differences(const std::vector<SmChoice>& choices) {
  std::vector<std::string> texts(choices.size());
  const Json first = Json::parse(choices.front().exchange);
  for (const auto& item : first.items()) {
    const std::string flag = item.key();
    const bool shared = std::all_of(choices.begin(), choices.end(), [&](const SmChoice& choice) {
      return Json::parse(choice.exchange).at(flag) == first.at(flag);
    });
    if (shared) continue;
    for (std::size_t i = 0; i < choices.size(); ++i) {
      const Json exchange = Json::parse(choices[i].exchange);
      texts[i] +=
          (texts[i].empty() ? "" : ", ") + flag + ' ' + exchange.at(flag).get<std::string>();
    }
  }
  return texts;
}

std::string without_sms(const SweepPoint& point) {
  Json flags = Json::parse(point.key + "}");
  flags.erase("transport-sms");
  return flags.dump();
}

}  // namespace

std::vector<SmChoice> sm_choices(const Sweep& sweep, unsigned threads) {
  std::vector<std::vector<std::size_t>> groups;
  std::map<std::string, std::size_t> group_of;
  for (std::size_t i = 0; i < sweep.size(); ++i) {
    const auto [entry, added] = group_of.try_emplace(without_sms(sweep.point(i)), groups.size());
    if (added) groups.emplace_back();
    groups[entry->second].push_back(i);
  }
  const std::vector<double> times = sweep.times();
  std::vector<SmChoice> choices(groups.size());
  for_each_index(groups.size(), threads, [&](std::size_t g) {
    const std::vector<std::size_t>& group = groups[g];
    const std::size_t fastest =
        *std::min_element(group.begin(), group.end(),
                          [&](std::size_t a, std::size_t b) { return times[a] < times[b]; });
    SweepPoint stock = sweep.point(fastest);
    SmChoice& choice = choices[g];
    choice.exchange = without_sms(stock);
    choice.fastest_sms = stock.exchange.transport_sms;
    choice.fastest_us = times[fastest];
    choice.stock_sms = stock_sms(stock.exchange, sweep.profile_of(stock));
    stock.exchange.transport_sms = choice.stock_sms;
    choice.stock_us = sweep.time_of(stock);
  });
  return choices;
}

Json to_json(const std::vector<SmChoice>& choices) {
  Json rows = Json::array();
  for (const SmChoice& choice : choices) {
    rows.push_back({{"exchange", Json::parse(choice.exchange)},
                    {"fastest", {{"transport_sms", choice.fastest_sms}, {"us", choice.fastest_us}}},
                    {"deepep_v2_default",
                     {{"transport_sms", choice.stock_sms},
                      {"us", choice.stock_us},
                      {"loss_pct", choice.stock_loss_pct()}}}});
  }
  return rows;
}

void print(const std::vector<SmChoice>& choices, std::size_t most) {
  Table table({"exchange", "fastest SMs", "us", "DeepEP V2's SMs", "us", "loss %"});
  const std::vector<std::string> names = differences(choices);
  for (std::size_t i = 0; i < std::min(most, choices.size()); ++i) {
    const SmChoice& choice = choices[i];
    table.row({names[i], std::to_string(choice.fastest_sms), fixed(choice.fastest_us, 2),
               std::to_string(choice.stock_sms), fixed(choice.stock_us, 2),
               fixed(choice.stock_loss_pct(), 1)});
  }
  table.print();
  if (choices.size() > most) {
    std::printf("... and %zu more: see \"sm_choices\" of --json\n", choices.size() - most);
  }
}

}  // namespace fanin::experiments
