#include "combine_sender.hpp"

#include <algorithm>
#include <cmath>

namespace fanin::model {
namespace {

/// The scale-up warps publish a tail every so many rounds (protocol).
constexpr std::size_t kTailRounds = 3;

}  // namespace

CombineSender::CombineSender(World& world, const Plan& plan, Network& network, Timeline& timeline,
                             int domain, int rail, sim::Barrier& entry)
    : world_(&world),
      plan_(&plan),
      network_(&network),
      timeline_(&timeline),
      entry_(&entry),
      domain_(domain),
      rail_(rail),
      nic_(plan.ffn_nic(domain, rail)),
      turns_(world.simulator, [this](sim::Simulator& simulator, std::uint32_t warp) {
        act(simulator, warps_[warp]);
      }) {
  world.simulator.add(*this);
  plan_rows();
  if (plan.costs.combine_row_sm.count > 0) {
    sms_.add(world, plan, *this, timeline.name + "/combine sm ",
             plan.exchange().ffn_combine_sms_used(), Resource::ffn_combine_chain);
  }
}

void CombineSender::plan_rows() {
  std::vector<std::vector<float>> copies;
  std::size_t rounds = 0;
  for (int channel = 0; channel < plan_->combine_channels; ++channel) {
    int most = 0;
    for (int s = 0; s < plan_->sources; ++s) most = std::max(most, rows(channel, s));
    if (most == 0) {
      empty_.push_back(channel);
      continue;
    }
    const auto index = static_cast<std::uint32_t>(warps_.size());
    Warp& warp = warps_.emplace_back();
    warp.index = index;
    warp.sender = this;
    warp.channel = channel;
    world_->simulator.add(warp);
    std::vector<float>& own = copies.emplace_back();
    for (int i = 0; i < most; ++i) {
      for (int s = 0; s < plan_->sources; ++s) {
        const Lane& lane = plan_->combine.lane(rail_, s, domain_);
        if (lane.rows(channel) <= i) continue;
        warp.rows.push_back({s, {}});
        own.push_back(lane.copies[static_cast<std::size_t>(
            lane.first[static_cast<std::size_t>(channel)] + i)]);
      }
    }
    rounds = std::max(rounds, warp.rows.size());
  }
  plan_rounds(copies, rounds);
  for (Warp& warp : warps_) {
    for (std::size_t i = 0; i < warp.rows.size(); ++i) {
      const std::size_t last_of_group = (i / kTailRounds + 1) * kTailRounds - 1;
      warp.rows[i].ready = warp.rows[std::min(last_of_group, warp.rows.size() - 1)].ready;
    }
  }
}

void CombineSender::plan_rounds(const std::vector<std::vector<float>>& copies, std::size_t rounds) {
  const Picoseconds copy = plan_->costs.nvlink_copy.of(plan_->combine_row);
  const auto time_of = [&](double rows) {
    return Picoseconds{std::llround(static_cast<double>(copy.count) * rows)};
  };
  const auto sm_of = [this](const Warp& warp) {
    return static_cast<std::size_t>(warp.channel / plan_->exchange().channels_per_sm);
  };
  Picoseconds link;
  for (std::size_t round = 0; round < rounds; ++round) {
    std::vector<std::int64_t> busy(
        static_cast<std::size_t>(plan_->exchange().ffn_combine_sms_used()));
    double sent = 0.0;
    for (std::size_t w = 0; w < warps_.size(); ++w) {
      if (warps_[w].rows.size() <= round) continue;
      ++busy[sm_of(warps_[w])];
      sent += static_cast<double>(copies[w][round]);
    }
    Picoseconds latest;
    if (plan_->costs.link_shared) link += time_of(sent);
    for (std::size_t w = 0; w < warps_.size(); ++w) {
      std::vector<Row>& rows = warps_[w].rows;
      if (rows.size() <= round) continue;
      if (!plan_->costs.link_shared) {
        if (round > 0) link = std::max(link, rows[round - 1].ready);
        link += time_of(static_cast<double>(copies[w][round]));
      }
      rows[round].ready = link + plan_->costs.combine_round +
                          plan_->costs.combine_round_sm * busy[sm_of(warps_[w])];
      latest = std::max(latest, rows[round].ready);
    }
    if (plan_->costs.link_shared) link = latest;
  }
}

Picoseconds CombineSender::entry_time() const {
  return plan_->costs.combine_entry +
         plan_->costs.grid_sync_cta * plan_->exchange().ffn_combine_sms_used() + plan_->costs.post;
}

void CombineSender::predecessor_ended(sim::Simulator& simulator) {
  posted_.expect(static_cast<std::int64_t>(warps_.size()) + 1);
  const Picoseconds now = simulator.now();
  const sim::Cause started = world_->record(now, now, timeline_->cause, Resource::launch);
  if (!plan_->symmetric) post_before_entry(simulator, started);
  step_ = Step::barrier;
  entry_->arrive(simulator, *this, now, started);
}

void CombineSender::post_before_entry(sim::Simulator& simulator, sim::Cause cause) {
  post_releases(simulator, cause);
  if (plan_->rules.empty_combine_finish == Rules::EmptyCombineFinish::before_entry_barrier) {
    post_empty_pairs(simulator, cause);
  }
}

void CombineSender::wake(sim::Simulator& simulator) {
  switch (step_) {
    case Step::barrier: {
      step_ = Step::first_posts;
      first_post_ =
          world_->record(simulator.now() - plan_->costs.nvlink_barrier, simulator.now(),
                         entry_->cause(), Resource::nvlink_barrier, Resource::nvlink_barrier);
      simulator.schedule(simulator.now() + entry_time(), *this);
      break;
    }
    case Step::first_posts:
      step_ = Step::end;
      first_post_ = world_->record(simulator.now() - entry_time(), simulator.now(), first_post_,
                                   Resource::ffn_combine_entry);
      post_first(simulator);
      break;
    case Step::end:
      ++round_;
      timeline_->finish(*world_, world_->record(posted_.latest(), simulator.now(), posted_.cause(),
                                                Resource::ffn_combine_chain));
      break;
  }
}

void CombineSender::post_first(sim::Simulator& simulator) {
  first_post_at_ = simulator.now();
  const int per_sm = plan_->exchange().channels_per_sm;
  int last_sm = -1;
  for (const std::int32_t channel : empty_) {
    const bool ring = !plan_->rules.ffn_batches_empty_finishes || channel / per_sm != last_sm;
    last_sm = channel / per_sm;
    world_->points.add(round_, Point::combine_finish_posted, *timeline_, simulator.now());
    for (int s = 0; s < plan_->sources; ++s) {
      if (posts_at_channel_end(channel, s)) post_finish(simulator, channel, s, ring, first_post_);
    }
  }
  for (Warp& warp : warps_) {
    warp.next = 0;
    warp.cause = first_post_;
    begin_row(simulator, warp);
  }
  part_posted(simulator, first_post_);
}

void CombineSender::begin_row(sim::Simulator& simulator, Warp& warp) {
  const Row& row = warp.rows[warp.next];
  const Picoseconds ready = first_post_at_ + row.ready;
  Picoseconds at = simulator.now();
  if (ready > at) {
    at = ready;
    warp.cause = world_->record(first_post_at_, ready, first_post_, Resource::ffn_combine_nvlink);
  }
  if (warp.next == 0) at += plan_->costs.combine_first_row;
  if (sms_.empty()) {
    simulator.schedule(at + plan_->costs.combine_row, warp);
    return;
  }
  warp.waits_for_sm = true;
  simulator.schedule(at, warp);
}

void CombineSender::done(sim::Simulator& simulator, const sim::Completion& completion) {
  Warp& warp = warps_[completion.token];
  warp.cause = completion.cause;
  simulator.schedule(completion.at + plan_->costs.combine_row, warp);
}

void CombineSender::warp_due(sim::Simulator& simulator, Warp& warp) {
  if (sms_.empty() && !warp.flushes) {
    row_sent(simulator, warp);
  } else {
    turns_.due(simulator, warp.index);
  }
}

void CombineSender::act(sim::Simulator& simulator, Warp& warp) {
  if (warp.flushes) {
    warp.flushes = false;
    end_channel(simulator, warp);
  } else if (warp.waits_for_sm) {
    warp.waits_for_sm = false;
    sms_.of_channel(warp.channel)
        .submit(simulator, warp.index, plan_->costs.combine_row_sm, warp.cause,
                resource_id(Resource::ffn_combine_chain));
  } else {
    row_sent(simulator, warp);
  }
}

void CombineSender::row_sent(sim::Simulator& simulator, Warp& warp) {
  const Picoseconds now = simulator.now();
  warp.cause = world_->record(now, now, warp.cause, Resource::ffn_combine_chain,
                              Resource::ffn_combine_chain);
  if (world_->trace.enabled()) {
    world_->trace.slice(timeline_->name + "/channel " + std::to_string(warp.channel), "combine row",
                        now - plan_->costs.combine_row, plan_->costs.combine_row);
  }
  Message message;
  message.verb = Verb::row_write;
  message.phase = Phase::combine;
  message.channel = warp.channel;
  message.sender = domain_;
  message.context = plan_->combine_context[static_cast<std::size_t>(warp.channel)];
  message.round = round_;
  message.bytes = plan_->combine_row;
  network_->post(simulator, nic_, plan_->attention_nic(warp.rows[warp.next].source, rail_), message,
                 warp.cause, Resource::ffn_combine_chain);
  world_->points.add(round_, Point::row_returned, *timeline_, now);
  if (++warp.next < warp.rows.size()) {
    begin_row(simulator, warp);
  } else if (plan_->exchange().combine_flush) {
    network_->flush(simulator, nic_, message.context, *this, warp.index);
  } else if (plan_->costs.combine_signal.count > 0) {
    warp.flushes = true;
    simulator.schedule(now + plan_->costs.combine_signal, warp);
  } else {
    end_channel(simulator, warp);
  }
}

void CombineSender::flushed(sim::Simulator& simulator, std::uint32_t index, Picoseconds at,
                            sim::Cause cause) {
  Warp& warp = warps_[index];
  warp.flushes = true;
  if (at > simulator.now()) {
    warp.cause = world_->record(at, at, cause, Resource::queue, Resource::wire);
    simulator.schedule(at, warp);
  } else {
    simulator.schedule(simulator.now(), warp);
  }
}

void CombineSender::end_channel(sim::Simulator& simulator, Warp& warp) {
  for (int s = 0; s < plan_->sources; ++s) {
    if (posts_at_channel_end(warp.channel, s))
      post_finish(simulator, warp.channel, s, true, warp.cause);
  }
  world_->points.add(round_, Point::combine_finish_posted, *timeline_, simulator.now());
  part_posted(simulator, warp.cause);
}

bool CombineSender::posts_at_channel_end(int channel, int source) const {
  return rows(channel, source) > 0 ||
         (plan_->rules.empty_combine_finish == Rules::EmptyCombineFinish::at_channel_end &&
          plan_->signals_empty_combine(domain_, source));
}

void CombineSender::post_finish(sim::Simulator& simulator, int channel, int source, bool ring,
                                sim::Cause cause) {
  const int sent = rows(channel, source);
  Message message;
  message.verb = plan_->inline_finish(sent) ? Verb::inline_write : Verb::fetch_add;
  message.phase = Phase::combine;
  message.finish = true;
  message.behind_writes = sent > 0;
  message.rings_doorbell = ring;
  message.channel = channel;
  message.sender = domain_;
  message.context = plan_->combine_context[static_cast<std::size_t>(channel)];
  message.round = round_;
  network_->post(simulator, nic_, plan_->attention_nic(source, rail_), message, cause,
                 Resource::ffn_combine_entry);
}

void CombineSender::post_empty_pairs(sim::Simulator& simulator, sim::Cause cause) {
  const int per_sm = plan_->exchange().channels_per_sm;
  std::vector<int> last_sm(static_cast<std::size_t>(plan_->sources), -1);  // that rang, by source
  for (int channel = 0; channel < plan_->combine_channels; ++channel) {
    for (int s = 0; s < plan_->sources; ++s) {
      if (rows(channel, s) > 0 || !plan_->signals_empty_combine(domain_, s)) continue;
      int& rung = last_sm[static_cast<std::size_t>(s)];
      const bool ring = !plan_->rules.ffn_batches_empty_finishes || channel / per_sm != rung;
      rung = channel / per_sm;
      post_finish(simulator, channel, s, ring, cause);
    }
  }
}

void CombineSender::post_releases(sim::Simulator& simulator, sim::Cause cause) {
  Message message;
  message.phase = Phase::combine;
  message.release = true;
  message.sender = domain_;
  message.round = round_;
  for (int s = 0; s < plan_->sources; ++s) {
    if (!plan_->releases(domain_, s)) continue;
    network_->post(simulator, nic_, plan_->attention_nic(s, rail_), message, cause,
                   Resource::launch);
  }
}

void CombineSender::dispatch_exited(sim::Simulator& simulator, sim::Cause cause) {
  if (plan_->rules.empty_combine_finish == Rules::EmptyCombineFinish::after_dispatch_exit) {
    post_empty_pairs(simulator, cause);
  }
}

void CombineSender::part_posted(sim::Simulator& simulator, sim::Cause cause) {
  posted_.arrive(simulator.now(), cause);
  if (posted_.complete()) simulator.schedule(posted_.latest() + plan_->costs.combine_end, *this);
}

}  // namespace fanin::model
