#include "dispatch_receiver.hpp"

#include <algorithm>
#include <stdexcept>

namespace fanin::model {

DispatchReceiver::DispatchReceiver(World& world, const Plan& plan, Timeline& timeline, int domain,
                                   int rail, sim::Barrier& exit)
    : world_(&world),
      plan_(&plan),
      timeline_(&timeline),
      exit_(&exit),
      domain_(domain),
      rail_(rail),
      row_service_(plan.costs.forward_row.of(plan.dispatch_row)) {
  world.simulator.add(*this);
  for (int channel = 0; channel < plan.dispatch_channels; ++channel) {
    Warp& warp = warps_.emplace_back();
    warp.receiver = this;
    warp.channel = channel;
    world.simulator.add(warp);
  }
  sms_.add(world, plan, *this, timeline.name + "/sm ", plan.exchange().transport_sms,
           Resource::ffn_forward);
  for (sim::Server& sm : sms_.servers()) sm.observe_queue(world.observe);
  arm();
}

int DispatchReceiver::finishes_expected(int channel) const {
  int finishes = 0;
  for (int s = 0; s < plan_->sources; ++s) {
    const bool flagged = plan_->dispatch.lane(rail_, s, domain_).rows(channel) > 0
                             ? !plan_->rules.counts_end_lists
                             : plan_->signals_empty_dispatch(s, domain_);
    finishes += flagged ? 1 : 0;
  }
  return finishes;
}

/// Ready for the next exchange, as after the tail words were cleared.
void DispatchReceiver::arm() {
  ending_.expect(plan_->dispatch_channels + 2);
  counts_.expect(2 * std::int64_t{plan_->sources});
  polling_ = false;
  for (Warp& warp : warps_) {
    warp.rows_left = 0;
    warp.rows_of.resize(static_cast<std::size_t>(plan_->sources));
    for (int s = 0; s < plan_->sources; ++s) {
      const int rows = plan_->dispatch.lane(rail_, s, domain_).rows(warp.channel);
      warp.rows_of[static_cast<std::size_t>(s)] = rows;
      warp.rows_left += rows;
    }
    if (warp.rows_left > 0) warp.tails.resize(static_cast<std::size_t>(plan_->sources));
    warp.turn = 0;
    warp.begun = false;
    warp.busy_until = {};
    warp.finishes.expect(finishes_expected(warp.channel));
    if (warp.rows_left == 0 && warp.finishes.complete()) ending_.arrive({});
  }
}

void DispatchReceiver::predecessor_ended(sim::Simulator& simulator) {
  begin_ = simulator.now();
  step_ = Step::poll;
  simulator.schedule(begin_ + plan_->costs.forward_entry +
                         plan_->costs.grid_sync_cta * plan_->exchange().transport_sms,
                     *this);
}

void DispatchReceiver::wake(sim::Simulator& simulator) {
  switch (step_) {
    case Step::poll:
      step_ = Step::exit;
      begin_polling(simulator);
      break;
    case Step::exit:
      step_ = Step::after_barrier;
      exit_->arrive(simulator, *this, simulator.now(),
                    world_->record(ending_.latest(), simulator.now(), ending_.cause(),
                                   Resource::ffn_dispatch_exit, Resource::ffn_forward));
      break;
    case Step::after_barrier: {
      const sim::Cause ended =
          world_->record(simulator.now() - plan_->costs.nvlink_barrier, simulator.now(),
                         exit_->cause(), Resource::nvlink_barrier, Resource::nvlink_barrier);
      ++round_;
      arm();
      if (after_exit) after_exit(simulator, ended);
      timeline_->finish(*world_, ended);
      break;
    }
  }
}

void DispatchReceiver::begin_polling(sim::Simulator& simulator) {
  polling_ = true;
  poll_at_ = simulator.now();
  poll_ = world_->record(begin_, poll_at_, timeline_->cause, Resource::ffn_forward);
  for (Warp& warp : warps_) {
    if (warp.rows_left > 0) step(simulator, warp);
  }
  for (const auto& [point, at] : early_)
    world_->points.add(round_, point, *timeline_, std::max(poll_at_, at));
  early_.clear();
  notify_if_ready(simulator);
  const Picoseconds zero_counts =
      plan_->rules.ffn_reduces_zero_counts ? plan_->costs.zero_counts : Picoseconds{};
  part_ended(simulator, poll_at_ + zero_counts,
             world_->record(poll_at_, poll_at_ + zero_counts, poll_, Resource::ffn_notify));
}

void DispatchReceiver::notify_if_ready(sim::Simulator& simulator) {
  if (!polling_ || !counts_.complete()) return;
  const bool waited = counts_.latest() >= poll_at_;
  const Picoseconds from = std::max(counts_.latest(), poll_at_);
  const Picoseconds at = from + plan_->costs.ffn_notify;
  world_->points.add(round_, Point::counts_seen, *timeline_, at);
  part_ended(simulator, at,
             world_->record(from, at, waited ? counts_.cause() : poll_, Resource::ffn_notify));
}

void DispatchReceiver::visible(sim::Simulator& simulator, const Message& message, Picoseconds at,
                               sim::Cause cause) {
  if (message.round != round_)
    throw std::logic_error("a source is a whole exchange ahead of its FFN GPU");
  if (message.verb == Verb::row_write) return;
  if (message.verb == Verb::count_write) {
    counts_.arrive(at, cause);
    notify_if_ready(simulator);
    return;
  }
  Warp& warp = warps_[static_cast<std::size_t>(message.channel)];
  if (message.rows > 0) {
    warp.tails[static_cast<std::size_t>(message.sender)].push({at, message.rows, cause});
    simulator.schedule(at, warp);
  }
  if (message.finish) {
    if (at >= warp.finishes.latest()) warp.last_flow = message.flow;
    if (message.rows == 0) passed(Point::tail_seen, at);
    warp.finishes.arrive(at, cause);
    end_if_complete(simulator, warp);
  }
}

int DispatchReceiver::pick(Warp& warp, Picoseconds now) {
  int passes = 0;
  for (int i = 0; i < plan_->sources; ++i) {
    const auto source = static_cast<std::size_t>((warp.turn + i) % plan_->sources);
    sim::Ring<Tail>& tails = warp.tails[source];
    if (!tails.empty() && tails.front().at <= now) {
      // A warp that waited for this very tail was held up by it, not by its own last row.
      if (tails.front().at == now) warp.cause = tails.front().cause;
      passed(Point::tail_seen, now);
      warp.in_hand = tails.front().rows;
      warp.rows_of[source] -= warp.in_hand;
      tails.pop();
      warp.turn = static_cast<int>(source + 1) % plan_->sources;
      return passes;
    }
    if (plan_->rules.blocking_pick && warp.rows_of[source] > 0) return -1;
    ++passes;
  }
  return -1;
}

void DispatchReceiver::step(sim::Simulator& simulator, Warp& warp) {
  const Picoseconds now = simulator.now();
  if (!polling_ || warp.busy_until > now || warp.rows_left == 0) return;
  if (warp.in_hand == 0) {
    if (now == poll_at_) warp.cause = poll_;
    const int passes = pick(warp, now);
    if (passes < 0) return;
    if (passes > 0 && !plan_->rules.readiness_aware_pick && plan_->costs.forward_poll.count > 0) {
      warp.busy_until = now + plan_->costs.forward_poll * passes;
      simulator.schedule(warp.busy_until, warp);
      return;
    }
  }
  warp.busy_until = sim::kNever;
  --warp.in_hand;
  sms_.of_channel(warp.channel)
      .submit(simulator, static_cast<std::uint32_t>(warp.channel), row_service_, warp.cause,
              resource_id(Resource::ffn_forward));
}

void DispatchReceiver::done(sim::Simulator& simulator, const sim::Completion& completion) {
  Warp& warp = warps_[completion.token];
  warp.busy_until = completion.at + plan_->costs.forward_row_warp;
  if (!warp.begun) warp.busy_until += plan_->costs.forward_first_row;
  warp.begun = true;
  passed(Point::row_forwarded, warp.busy_until);
  warp.cause =
      world_->record(completion.at, warp.busy_until, completion.cause, Resource::ffn_forward);
  if (world_->trace.enabled()) {
    world_->trace.slice(timeline_->name + "/channel " + std::to_string(warp.channel), "forward row",
                        completion.at - row_service_,
                        warp.busy_until - completion.at + row_service_);
  }
  if (--warp.rows_left == 0) {
    end_if_complete(simulator, warp);
  } else {
    simulator.schedule(warp.busy_until, warp);
  }
}

void DispatchReceiver::end_if_complete(sim::Simulator& simulator, Warp& warp) {
  if (warp.rows_left > 0 || !warp.finishes.complete()) return;
  const bool rows_last = warp.busy_until > warp.finishes.latest();
  if (world_->trace.enabled()) {
    const Picoseconds from = std::min(begin_, warp.finishes.latest());
    world_->trace.slice(timeline_->name + "/wait " + std::to_string(warp.channel),
                        "wait for finishes", from, warp.finishes.latest() - from, warp.last_flow);
  }
  const Picoseconds end = rows_last ? warp.busy_until : warp.finishes.latest();
  passed(Point::channel_done, end);
  part_ended(simulator, end, rows_last ? warp.cause : warp.finishes.cause());
}

void DispatchReceiver::passed(Point point, Picoseconds at) {
  if (!world_->points.enabled()) return;
  if (polling_) {
    world_->points.add(round_, point, *timeline_, std::max(poll_at_, at));
  } else {
    early_.emplace_back(point, at);
  }
}

void DispatchReceiver::part_ended(sim::Simulator& simulator, Picoseconds at, sim::Cause cause) {
  ending_.arrive(at, cause);
  if (ending_.complete()) simulator.schedule(ending_.latest() + plan_->costs.dispatch_exit, *this);
}

std::string DispatchReceiver::waiting_for() const {
  if (!polling_) return {};
  std::int64_t finishes = 0;
  int first = -1;
  for (const Warp& warp : warps_) {
    if (warp.finishes.missing() > 0 && first < 0) first = warp.channel;
    finishes += warp.finishes.missing();
  }
  if (finishes > 0) {
    return std::to_string(finishes) + " finishes, the first on channel " + std::to_string(first);
  }
  if (!counts_.complete()) return std::to_string(counts_.missing()) + " count WRITEs";
  return std::to_string(ending_.missing()) + " channels to end, or its exit barrier";
}

}  // namespace fanin::model
