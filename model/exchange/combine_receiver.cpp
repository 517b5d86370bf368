#include "combine_receiver.hpp"

#include <algorithm>
#include <stdexcept>

namespace fanin::model {

CombineReceiver::CombineReceiver(World& world, const Plan& plan, Timeline& timeline, int source,
                                 int rail)
    : world_(&world), plan_(&plan), timeline_(&timeline) {
  world.simulator.add(*this);
  for (int domain = 0; domain < plan.ffn_domains; ++domain) {
    const bool empty_signal = plan.signals_empty_combine(domain, source);
    if (plan.releases(domain, source)) ++expected_;
    const Lane& lane = plan.combine.lane(rail, source, domain);
    for (int c = 0; c < plan.combine_channels; ++c)
      expected_ += empty_signal || lane.rows(c) > 0 ? 1 : 0;
  }
  signals_.expect(expected_);
}

void CombineReceiver::visible(sim::Simulator& simulator, const Message& message, Picoseconds at,
                              sim::Cause cause) {
  if (message.round != round_)
    throw std::logic_error("an FFN GPU is a whole exchange ahead of its source");
  if (!message.finish && !message.release) return;
  if (at >= signals_.latest()) last_flow_ = message.flow;
  if (message.finish) {
    world_->points.add(round_, Point::finish_served, *timeline_, at);
    if (running_) {
      world_->points.add(round_, Point::finish_matched, *timeline_, std::max(begin_, at));
    } else if (world_->points.enabled()) {
      early_.push_back(at);
    }
  }
  signals_.arrive(at, cause);
  end_if_complete(simulator);
}

void CombineReceiver::predecessor_ended(sim::Simulator& simulator) {
  running_ = true;
  begin_ = simulator.now();
  for (const Picoseconds at : early_)
    world_->points.add(round_, Point::finish_matched, *timeline_, std::max(begin_, at));
  early_.clear();
  end_if_complete(simulator);
}

void CombineReceiver::end_if_complete(sim::Simulator& simulator) {
  if (!running_ || !signals_.complete()) return;
  simulator.schedule(std::max(begin_, signals_.latest()) + plan_->costs.collect, *this);
}

void CombineReceiver::wake(sim::Simulator& simulator) {
  const Picoseconds from = std::max(begin_, signals_.latest());
  const bool waited = signals_.latest() >= begin_;
  const sim::Cause ended =
      world_->record(from, simulator.now(), waited ? signals_.cause() : timeline_->cause,
                     Resource::attention_collect);
  if (world_->trace.enabled()) {
    const Picoseconds begin = std::min(begin_, from);
    world_->trace.slice(timeline_->name + "/collect",
                        "wait for " + std::to_string(expected_) + " signals", begin, from - begin,
                        last_flow_);
  }
  running_ = false;
  ++round_;
  signals_.expect(expected_);
  timeline_->finish(*world_, ended);
}

std::string CombineReceiver::waiting_for() const {
  if (!running_) return {};
  return std::to_string(signals_.missing()) + " of " + std::to_string(expected_) +
         " combine finishes";
}

}  // namespace fanin::model
