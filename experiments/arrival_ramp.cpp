#include "arrival_ramp.hpp"

#include <algorithm>
#include <limits>
#include <map>

#include "fanin/hw/error.hpp"
#include "table.hpp"

namespace fanin::experiments {

namespace {

double us(std::uint64_t ns, std::uint64_t zero) {
  return (static_cast<double>(ns) - static_cast<double>(zero)) * 1e-3;
}

/// The word at that share of the ramp, 0 … 1.
const RampWord& at_share(const std::vector<RampWord>& words, double share) {
  return words[static_cast<std::size_t>(share * static_cast<double>(words.size() - 1))];
}

void judge(ArrivalRamp& ramp) {
  std::vector<double> lags;
  for (const RampWord& word : ramp.words) lags.push_back(word.matched_us - word.posted_us);
  const double last_lag = lags.back();
  std::sort(lags.begin(), lags.end());
  ramp.lone_lag_us = lags[lags.size() / 20];
  const double from = at_share(ramp.words, 0.1).matched_us;
  const double to = at_share(ramp.words, 0.9).matched_us;
  ramp.slope_ns =
      (to - from) * 1e3 / std::max(1.0, 0.8 * static_cast<double>(ramp.words.size() - 1));
  constexpr double kWaited = 2.0;
  constexpr double kClockUs = 1.0;  // more than steps of the device timer can make up
  const double waited = last_lag - ramp.lone_lag_us;
  ramp.end = waited > std::max((kWaited - 1.0) * ramp.lone_lag_us, kClockUs) ? RampEnd::drain
                                                                             : RampEnd::chain;
}

}  // namespace

ArrivalRamp arrival_ramp(const kernels::RunResult& result, const kernels::Shape& shape) {
  std::uint64_t zero = std::numeric_limits<std::uint64_t>::max();
  std::map<std::pair<int, int>, std::uint64_t> posted;  // (FFN rank, channel)
  for (const kernels::WarpStamps& warp : result.stamps) {
    if (warp.kernel != "ffn_combine") continue;
    for (const kernels::Stamp& stamp : warp.stamps) {
      if (stamp.point == kernels::Point::barrier_passed) zero = std::min(zero, stamp.ns);
      if (stamp.point == kernels::Point::combine_finish_posted)
        posted[{warp.rank, stamp.index}] = stamp.ns;
    }
  }
  ArrivalRamp ramp;
  for (int s = 0; s < shape.attention_ranks(); ++s) {
    for (int d = 0; d < shape.ffn_domains(); ++d) {
      const int f = d * shape.gpus_per_domain + s % shape.gpus_per_domain;
      for (int c = 0; c < shape.channels(); ++c) {
        const auto word = static_cast<std::size_t>(d * shape.channels() + c);
        const auto own = posted.find({f, c});
        if (own == posted.end()) {
          throw InputError("trace", "channel " + std::to_string(c) + " has no stamp of its finish",
                           "fewer rows a channel than the stamp ring holds");
        }
        const std::uint64_t matched = result.matched_ns[static_cast<std::size_t>(s)][word];
        std::optional<double> served;
        if (const auto source = static_cast<std::size_t>(s); source < result.served_ns.size()) {
          const std::uint64_t ns = result.served_ns[source][word];
          if (ns != 0) served = us(ns, zero);
        }
        ramp.words.push_back({s, f, c, us(own->second, zero), served, us(matched, zero)});
      }
    }
  }
  std::stable_sort(ramp.words.begin(), ramp.words.end(), [](const RampWord& a, const RampWord& b) {
    return a.matched_us < b.matched_us;
  });
  judge(ramp);
  return ramp;
}

Json to_json(const ArrivalRamp& ramp) {
  Json deciles = Json::array();
  for (int i = 0; i <= 10; ++i) deciles.push_back(at_share(ramp.words, i / 10.0).matched_us);
  const RampWord& last = ramp.words.back();
  Json json = {{"words", ramp.words.size()},
               {"matched_deciles_us", deciles},
               {"slope_ns", ramp.slope_ns},
               {"lone_lag_us", ramp.lone_lag_us},
               {"last",
                {{"source", last.source},
                 {"ffn", last.ffn},
                 {"channel", last.channel},
                 {"posted_us", last.posted_us},
                 {"matched_us", last.matched_us}}},
               {"end_set_by", ramp.end == RampEnd::drain ? "drain" : "chain"}};
  if (!last.served_us) return json;
  std::vector<double> served;
  std::vector<double> seen_after;
  for (const RampWord& word : ramp.words) {
    if (!word.served_us) continue;
    served.push_back(*word.served_us);
    seen_after.push_back(word.matched_us - *word.served_us);
  }
  std::sort(served.begin(), served.end());
  std::sort(seen_after.begin(), seen_after.end());
  Json served_deciles = Json::array();
  for (std::size_t i = 0; i <= 10; ++i) {
    served_deciles.push_back(served[i * (served.size() - 1) / 10]);
  }
  json["served_deciles_us"] = served_deciles;
  json["served_to_matched_us"] = seen_after[seen_after.size() / 2];
  json["last"]["served_us"] = *last.served_us;
  return json;
}

void print(const ArrivalRamp& ramp) {
  Table table({"share", "source", "channel", "posted_us", "served_us", "matched_us", "lag_us"},
              "r");
  for (int i = 0; i <= 10; ++i) {
    const RampWord& word = at_share(ramp.words, i / 10.0);
    table.row({std::to_string(10 * i) + "%", std::to_string(word.source),
               std::to_string(word.channel), fixed(word.posted_us, 2),
               word.served_us ? fixed(*word.served_us, 2) : "", fixed(word.matched_us, 2),
               fixed(word.matched_us - word.posted_us, 2)});
  }
  std::printf("Arrival of %zu finish words after the combine's entry barrier\n", ramp.words.size());
  table.print();
  std::printf(
      "%s ns between two words; the %s sets the end (last word lags %s us, least lag %s us)\n",
      fixed(ramp.slope_ns, 1).c_str(),
      ramp.end == RampEnd::drain ? "drain of the finishes" : "chain of the rows",
      fixed(ramp.words.back().matched_us - ramp.words.back().posted_us, 2).c_str(),
      fixed(ramp.lone_lag_us, 2).c_str());
}

}  // namespace fanin::experiments
