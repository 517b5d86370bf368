#include "explain.hpp"

#include <algorithm>
#include <map>
#include <utility>

#include "table.hpp"

namespace fanin::experiments {
namespace {

/// Parameters whose least values make a resource cost nothing; a rate of 0 is no constraint. On one
/// NIC the Attention and the FFN side share their parameters, so both sides of a kind are taken
/// away together.
struct Cost {
  const char* resource;
  std::vector<const char*> times;
  std::vector<const char*> rates;
};

const std::vector<Cost>& costs() {
  static const std::vector<Cost> all = {
      {"attention.nic.requester",
       {"nic.requester.fetch_add", "nic.requester.write"},
       {"nic.line_rate"}},
      {"ffn.nic.requester", {"nic.requester.fetch_add", "nic.requester.write"}, {"nic.line_rate"}},
      {"ffn.nic.responder", {"nic.responder.fetch_add", "nic.responder.write"}, {"nic.line_rate"}},
      {"attention.nic.responder",
       {"nic.responder.fetch_add", "nic.responder.write"},
       {"nic.line_rate"}},
      {"wire", {"nic.wire_latency"}, {}},
      {"nic.queue", {"nic.queue.fetch_add_round_trip"}, {}},
      {"ffn.forward",
       {"hybrid.forward_row", "hybrid.forward_row_warp", "hybrid.forward_first_row"},
       {}},
      {"ffn.combine_chain",
       {"hybrid.combine_chain_row", "hybrid.combine_first_row", "hybrid.combine_row_sm"},
       {}},
      {"ffn.combine_nvlink",
       {"hybrid.combine_nvlink_row", "hybrid.combine_round", "hybrid.combine_round_sm"},
       {"hybrid.combine_nvlink_rate"}},
      {"attention.dispatch", {"hybrid.dispatch_row", "hybrid.dispatch_row_sm"}, {}},
      {"ffn.copy_epilogue", {"hybrid.copy_epilogue_row", "hybrid.copy_epilogue_row_memory"}, {}},
  };
  return all;
}

hw::Profile without(hw::Profile profile, const Cost& cost) {
  const auto set = [&](const char* name, double value) {
    hw::Parameter& parameter = profile.parameters[name];
    parameter.unit = std::string(hw::find_parameter(name)->unit);
    parameter.value = value;
  };
  for (const char* name : cost.times) set(name, hw::find_parameter(name)->low);
  for (const char* name : cost.rates) set(name, 0.0);
  return profile;
}

std::string largest_growth(const model::SimulationResult& before,
                           const model::SimulationResult& after, const std::string& except) {
  std::map<std::string, Picoseconds> shares;
  for (const model::CriticalShare& share : before.critical_path)
    shares[share.resource] = share.time;
  std::string next;
  Picoseconds most;
  for (const model::CriticalShare& share : after.critical_path) {
    const Picoseconds growth = share.time - shares[share.resource];
    if (share.resource != except && growth > most) {
      most = growth;
      next = share.resource;
    }
  }
  return next;
}

}  // namespace

std::vector<Bound> bounds_of(const model::Exchange& exchange, const hw::Profile& profile,
                             const model::SimulationResult& result) {
  std::vector<Bound> bounds;
  for (const model::CriticalShare& share : result.critical_path) {
    for (const Cost& cost : costs()) {
      if (share.resource != cost.resource) continue;
      const model::SimulationResult free = model::simulate(exchange, without(profile, cost));
      bounds.push_back({share.resource, share.time, result.exchange - free.exchange,
                        largest_growth(result, free, share.resource)});
    }
  }
  std::stable_sort(bounds.begin(), bounds.end(),
                   [](const Bound& a, const Bound& b) { return a.share > b.share; });
  return bounds;
}

std::string explain(const model::Exchange& exchange, const hw::Profile& profile,
                    const model::SimulationResult& result) {
  const std::vector<Bound> bounds = bounds_of(exchange, profile, result);
  if (bounds.empty()) return "Nothing on the critical path has a cost of its own.\n";
  const double total = result.exchange.us();
  const auto percent = [&](Picoseconds time) { return fixed(100.0 * time.us() / total, 0) + "%"; };
  const Bound& first = bounds.front();
  std::string text = "The exchange takes " + fixed(total, 1) + " us. " + first.resource +
                     " bounds it most: it is " + fixed(first.share.us(), 1) + " us (" +
                     percent(first.share) +
                     ") of the critical path, and without its cost the exchange would be " +
                     fixed(first.gain.us(), 1) + " us shorter";
  if (!first.next.empty()) text += ", when " + first.next + " takes over part of it";
  text += ".\n";
  if (bounds.size() > 1) {
    const Bound& second = bounds[1];
    text += "Next: " + second.resource + ", " + fixed(second.share.us(), 1) + " us of the path, " +
            fixed(second.gain.us(), 1) + " us shorter without it.\n";
  }
  const model::ResourceUse* busiest = nullptr;
  for (const model::ResourceUse& use : result.resources) {
    if (busiest == nullptr || use.utilisation > busiest->utilisation) busiest = &use;
  }
  if (busiest != nullptr) {
    text += "Busiest server: " + busiest->resource + ", " + fixed(100.0 * busiest->utilisation, 0) +
            "% of the period, at most " + std::to_string(busiest->max_queue) +
            " operations waiting.\n";
  }
  return text;
}

}  // namespace fanin::experiments
