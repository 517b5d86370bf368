#include "dispatch_sender.hpp"

#include <algorithm>

namespace fanin::model {

DispatchSender::DispatchSender(World& world, const Plan& plan, Network& network, Timeline& timeline,
                               int source, int rail, CtaSlots* slots)
    : world_(&world),
      plan_(&plan),
      network_(&network),
      timeline_(&timeline),
      source_(source),
      rail_(rail),
      nic_(plan.attention_nic(source, rail)),
      slots_(slots),
      turns_(world.simulator, [this](sim::Simulator& simulator, std::uint32_t warp) {
        row_staged(simulator, warps_[warp]);
      }) {
  world.simulator.add(*this);
  for (int channel = 0; channel < plan.dispatch_channels; ++channel) {
    int rows = 0;
    for (int domain = 0; domain < plan.ffn_domains; ++domain)
      rows = std::max(rows, lane(domain).rows(channel));
    if (rows == 0) {
      empty_.push_back(channel);
      continue;
    }
    const auto index = static_cast<std::uint32_t>(warps_.size());
    Warp& warp = warps_.emplace_back();
    warp.index = index;
    warp.sender = this;
    warp.channel = channel;
    warp.rows = rows;
    warp.covered.assign(static_cast<std::size_t>(plan.ffn_domains), 0);
    world.simulator.add(warp);
  }
  add_ctas();
  if (plan.costs.dispatch_row_sm.count > 0) {
    sms_.add(world, plan, *this, timeline.name + "/sm ", plan.exchange().transport_sms,
             Resource::attention_dispatch);
  }
}

void DispatchSender::add_ctas() {
  const int grid = slots_ == nullptr ? 1 : plan_->exchange().transport_sms;
  const int channels =
      slots_ == nullptr ? plan_->dispatch_channels : plan_->exchange().channels_per_sm;
  std::size_t empty = 0;
  std::size_t warp = 0;
  for (int i = 0; i < grid; ++i) {
    Cta& cta = ctas_.emplace_back();
    cta.sender = this;
    cta.posts_counts = i == 0;
    cta.first_empty = empty;
    cta.first_warp = warp;
    const int end = (i + 1) * channels;
    while (empty < empty_.size() && empty_[empty] < end) ++empty;
    for (; warp < warps_.size() && warps_[warp].channel < end; ++warp)
      warps_[warp].cta = static_cast<std::size_t>(i);
    cta.last_empty = empty;
    cta.last_warp = warp;
    world_->simulator.add(cta);
  }
}

Picoseconds DispatchSender::entry_time() const {
  return plan_->costs.dispatch_entry +
         plan_->costs.grid_sync_cta * plan_->exchange().transport_sms + plan_->costs.post;
}

void DispatchSender::predecessor_ended(sim::Simulator& simulator) {
  ++round_;
  const Picoseconds now = simulator.now();
  const sim::Cause started = world_->record(now, now, timeline_->cause, Resource::launch);
  world_->exchange_starts(round_, started);
  posted_.expect(static_cast<std::int64_t>(warps_.size() + ctas_.size()) + 1);
  started_ = 0;
  step_ = Step::counts;
  for (Cta& cta : ctas_) {
    if (slots_ == nullptr) {
      cta.placed(simulator, started);
    } else {
      slots_->ask(simulator, cta, started);
    }
  }
}

void DispatchSender::Cta::placed(sim::Simulator& simulator, sim::Cause cause) {
  begin = simulator.now();
  first_post = cause;
  ends = false;
  posted.expect(static_cast<std::int64_t>(last_warp - first_warp) + (posts_counts ? 2 : 1));
  simulator.schedule(begin + sender->entry_time(), *this);
}

void DispatchSender::Cta::wake(sim::Simulator& simulator) {
  if (!ends) {
    sender->start_cta(simulator, *this);
    return;
  }
  sender->slots_->leave(simulator,
                        sender->world_->record(posted.latest(), simulator.now(), posted.cause(),
                                               Resource::attention_dispatch));
}

void DispatchSender::start_cta(sim::Simulator& simulator, Cta& cta) {
  cta.first_post =
      world_->record(cta.begin, simulator.now(), cta.first_post, Resource::attention_dispatch);
  if (++started_ == ctas_.size()) {
    counted_ = cta.first_post;
    simulator.schedule(simulator.now() + plan_->costs.notify, *this);
  }
  post_empty_finishes(simulator, cta);
  for (std::size_t w = cta.first_warp; w < cta.last_warp; ++w) {
    Warp& warp = warps_[w];
    warp.staged = 0;
    std::fill(warp.covered.begin(), warp.covered.end(), 0);
    warp.cause = cta.first_post;
    stage_next(simulator, warp);
  }
  part_posted(simulator, cta, cta.first_post);
}

void DispatchSender::wake(sim::Simulator& simulator) {
  switch (step_) {
    case Step::counts:
      step_ = Step::end;
      post_counts(simulator);
      break;
    case Step::end:
      timeline_->finish(*world_,
                        world_->record(simulator.now() - plan_->costs.dispatch_end, simulator.now(),
                                       posted_.cause(), Resource::attention_dispatch));
      break;
  }
}

Message DispatchSender::finish_of(int channel, int rows) const {
  Message message;
  message.verb = plan_->inline_finish(rows) ? Verb::inline_write : Verb::fetch_add;
  message.finish = true;
  message.behind_writes = rows > 0;
  message.channel = channel;
  message.sender = source_;
  message.context = plan_->dispatch_context[static_cast<std::size_t>(channel)];
  message.round = round_;
  return message;
}

void DispatchSender::post_empty_finishes(sim::Simulator& simulator, const Cta& cta) {
  const int per_sm = plan_->exchange().channels_per_sm;
  int last_sm = -1;
  for (std::size_t i = cta.first_empty; i < cta.last_empty; ++i) {
    const std::int32_t channel = empty_[i];
    const int sm = channel / per_sm;
    Message message = finish_of(channel, 0);
    message.rings_doorbell = !plan_->rules.attention_batches_empty_finishes || sm != last_sm;
    last_sm = sm;
    world_->points.add(round_, Point::finish_posted, *timeline_, simulator.now());
    for (int domain = 0; domain < plan_->ffn_domains; ++domain) {
      if (!plan_->signals_empty_dispatch(source_, domain)) continue;
      network_->post(simulator, nic_, plan_->ffn_nic(domain, rail_), message, cta.first_post,
                     Resource::attention_dispatch);
    }
  }
}

void DispatchSender::post_counts(sim::Simulator& simulator) {
  const sim::Cause counted = world_->record(simulator.now() - plan_->costs.notify, simulator.now(),
                                            counted_, Resource::attention_dispatch);
  Message message;
  message.verb = Verb::count_write;
  message.sender = source_;
  message.round = round_;
  message.bytes = plan_->count_write;
  for (int domain = 0; domain < plan_->ffn_domains; ++domain) {
    for (int write = 0; write < 2; ++write) {
      network_->post(simulator, nic_, plan_->ffn_nic(domain, rail_), message, counted,
                     Resource::attention_dispatch);
    }
  }
  world_->points.add(round_, Point::counts_posted, *timeline_, simulator.now());
  part_posted(simulator, ctas_.front(), counted);
}

int DispatchSender::rows_to_next_signal(const Warp& warp) const {
  if (world_->mode == sim::Mode::stepwise || !sms_.empty() || plan_->costs.rows_leave_at_once)
    return 1;
  const int interval = plan_->exchange().tail_interval;
  return std::min(interval - warp.staged % interval, warp.rows - warp.staged);
}

void DispatchSender::stage_next(sim::Simulator& simulator, Warp& warp) {
  if (!sms_.empty()) {
    sms_.of_channel(warp.channel)
        .submit(simulator, warp.index, plan_->costs.dispatch_row_sm, warp.cause,
                resource_id(Resource::attention_dispatch));
    return;
  }
  const int rows = rows_to_next_signal(warp);
  warp.staged += rows;
  simulator.schedule(simulator.now() + plan_->costs.dispatch_row * rows, warp);
}

void DispatchSender::done(sim::Simulator& simulator, const sim::Completion& completion) {
  Warp& warp = warps_[completion.token];
  warp.cause = completion.cause;
  ++warp.staged;
  simulator.schedule(completion.at + plan_->costs.dispatch_row, warp);
}

void DispatchSender::Warp::wake(sim::Simulator& simulator) { sender->warp_due(simulator, *this); }

void DispatchSender::warp_due(sim::Simulator& simulator, Warp& warp) {
  if (sms_.empty()) {
    row_staged(simulator, warp);
  } else {
    turns_.due(simulator, warp.index);
  }
}

void DispatchSender::row_staged(sim::Simulator& simulator, Warp& warp) {
  if (warp.signals) {
    warp.signals = false;
    signal_staged(simulator, warp);
    return;
  }
  warp.cause = world_->record(simulator.now(), simulator.now(), warp.cause,
                              Resource::attention_dispatch, Resource::attention_dispatch);
  if (plan_->costs.rows_leave_at_once) {
    for (int domain = 0; domain < plan_->ffn_domains; ++domain) {
      if (warp.staged <= lane(domain).rows(warp.channel)) post_rows(simulator, warp, domain, 1);
    }
  }
  const bool due = warp.staged == warp.rows || warp.staged % plan_->exchange().tail_interval == 0;
  if (due && plan_->costs.dispatch_signal.count > 0) {
    warp.signals = true;
    simulator.schedule(simulator.now() + plan_->costs.dispatch_signal, warp);
  } else {
    signal_staged(simulator, warp);
  }
}

void DispatchSender::signal_staged(sim::Simulator& simulator, Warp& warp) {
  const bool last = warp.staged == warp.rows;
  const int interval = plan_->exchange().tail_interval;
  for (int domain = 0; domain < plan_->ffn_domains; ++domain) {
    const int rows = std::min(warp.staged, lane(domain).rows(warp.channel));
    if (rows > warp.covered[static_cast<std::size_t>(domain)] && rows % interval == 0) {
      signal(simulator, warp, domain, false);
    }
    if (last) signal(simulator, warp, domain, true);
  }
  if (last) {
    world_->points.add(round_, Point::finish_posted, *timeline_, simulator.now());
    part_posted(simulator, ctas_[warp.cta], warp.cause);
  } else {
    stage_next(simulator, warp);
  }
}

void DispatchSender::signal(sim::Simulator& simulator, Warp& warp, int domain, bool finish) {
  const int all_rows = lane(domain).rows(warp.channel);
  if (finish && all_rows == 0 && !plan_->signals_empty_dispatch(source_, domain)) return;
  std::int32_t& covered = warp.covered[static_cast<std::size_t>(domain)];
  Message message = finish_of(warp.channel, all_rows);
  message.finish = finish && !(all_rows > 0 && plan_->rules.counts_end_lists);
  message.rows = std::min(warp.staged, all_rows) - covered;
  if (message.rows == 0 && !message.finish) return;
  covered += message.rows;
  if (!plan_->costs.rows_leave_at_once) post_rows(simulator, warp, domain, message.rows);
  network_->post(simulator, nic_, plan_->ffn_nic(domain, rail_), message, warp.cause,
                 Resource::attention_dispatch);
}

void DispatchSender::post_rows(sim::Simulator& simulator, Warp& warp, int domain, int rows) {
  Message row = finish_of(warp.channel, lane(domain).rows(warp.channel));
  row.verb = Verb::row_write;
  row.finish = false;
  row.rings_doorbell = false;
  row.bytes = plan_->dispatch_row;
  for (int i = 0; i < rows; ++i) {
    network_->post(simulator, nic_, plan_->ffn_nic(domain, rail_), row, warp.cause,
                   Resource::attention_dispatch);
  }
}

void DispatchSender::part_posted(sim::Simulator& simulator, Cta& cta, sim::Cause cause) {
  if (slots_ != nullptr) {
    cta.posted.arrive(simulator.now(), cause);
    if (cta.posted.complete()) {
      cta.ends = true;
      simulator.schedule(cta.posted.latest() + plan_->costs.dispatch_end, cta);
    }
  }
  posted_.arrive(simulator.now(), cause);
  if (posted_.complete()) simulator.schedule(posted_.latest() + plan_->costs.dispatch_end, *this);
}

}  // namespace fanin::model
