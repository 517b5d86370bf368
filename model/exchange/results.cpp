#include "results.hpp"

#include <algorithm>
#include <utility>

namespace fanin::model {

void UsageWindow::snapshot(int, const Network& network,
                           const std::vector<const sim::Server*>& servers) {
  before_ = std::move(now_);
  now_.clear();
  for (int nic = 0; nic < network.size(); ++nic) {
    now_.push_back(totals(network.name(nic) + "/nic/requester", network.requester(nic)));
    now_.push_back(totals(network.name(nic) + "/nic/responder", network.responder(nic)));
  }
  for (const sim::Server* server : servers) now_.push_back(totals(server->name(), server->usage()));
}

void UsageWindow::snapshot(const std::vector<const sim::Server*>& servers) {
  before_ = std::move(now_);
  now_.clear();
  for (const sim::Server* server : servers) now_.push_back(totals(server->name(), server->usage()));
}

std::vector<ResourceUse> UsageWindow::uses(Picoseconds period) const {
  std::vector<ResourceUse> uses;
  if (period.count <= 0) return uses;
  const auto time = static_cast<double>(period.count);
  for (std::size_t i = 0; i < std::min(before_.size(), now_.size()); ++i) {
    uses.push_back(
        {now_[i].resource, static_cast<double>((now_[i].busy - before_[i].busy).count) / time,
         static_cast<double>((now_[i].waited - before_[i].waited).count) / time, now_[i].longest});
  }
  return uses;
}

SimulationResult collect_results(const World& world, const UsageWindow& usage) {
  SimulationResult result;
  const PeriodSearch& period = world.period;
  result.exchange = period.period();
  result.events = world.simulator.events();
  result.exchanges_run = period.exchanges();
  if (world.trail.enabled()) {
    for (const sim::TrailShare& share : world.trail.shares(period.cause(), period.begin())) {
      result.critical_path.push_back(
          {std::string(to_string(static_cast<Resource>(share.resource))), share.time});
    }
  }
  result.operations = world.ledger.of_round(period.round());
  result.resources = usage.uses(period.end() - period.begin());
  if (world.trace.enabled()) {
    // Whatever the exchange set going and the next one still carries: half a period more.
    const Picoseconds length = period.end() - period.begin();
    result.trace = world.trace.window(period.begin(), period.end() + Picoseconds{length.count / 2});
  }
  return result;
}

KernelTable::KernelTable(int round, const sim::Stream& anchor, SimulationResult& result)
    : round_(static_cast<std::size_t>(round)),
      zero_(anchor.launches()[round_ * anchor.kernels()].start),
      result_(&result) {}

void KernelTable::add(const sim::Stream& stream, int device, const char* role,
                      const char* const* names, const int* grids) const {
  for (std::size_t k = 0; k < stream.kernels(); ++k) {
    std::size_t launch = round_ * stream.kernels() + k;
    Picoseconds shift = zero_;
    while (launch >= stream.launches().size() || stream.launches()[launch].end == sim::kNever) {
      if (launch < stream.kernels()) return;
      launch -= stream.kernels();
      shift -= result_->exchange;
    }
    const sim::LaunchSpan& span = stream.launches()[launch];
    result_->kernels.push_back({device, role, static_cast<int>(k), names[k], span.start - shift,
                                span.end - shift, grids[k]});
  }
}

}  // namespace fanin::model
