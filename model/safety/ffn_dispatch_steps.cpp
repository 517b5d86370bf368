// The FFN GPU's kernels F1 dispatch and F2 copy epilogue. NVLink stores and barriers of a domain
// are ordered (release and acquire), so a barrier is one step that follows all its members' steps.
#include "exchange_steps.hpp"

namespace fanin::model::safety {

/// A list that the FFN knows to be empty is neither waited for nor cleared.
bool ExchangeSteps::list_awaited(int exchange, const Gpu& gpu, int source, int channel) const {
  const bool known = layout_.rules().fixed.counts_say_occupancy ||
                     layout_.silent(Phase::dispatch, source, gpu.domain);
  return !known || !layout_.list(exchange, gpu, source, channel).empty();
}

/// The barrier over NVLink at the kernel's entry; F1 begins when F3 of the exchange before has
/// ended on all GPUs of the domain.
int ExchangeSteps::enter_dispatch(int exchange, int domain) {
  std::vector<int> before_entry;
  for (int rail = 0; rail < layout_.system().gpus_per_domain; ++rail) {
    std::vector<int>& last = combined_[{domain, rail}];
    before_entry.insert(before_entry.end(), last.begin(), last.end());
    last.clear();
  }
  if (layout_.symmetric()) return dispatch_entry_.at(domain);
  return program_.add(step(exchange, {domain, 0}, true, "F1 dispatch", "entry barrier",
                           "all GPUs of " + layout_.ffn_domain(domain) + " have arrived",
                           before_entry));
}

void ExchangeSteps::ffn_dispatch(int exchange, int domain) {
  const Rules& rules = layout_.rules();
  const int rails = layout_.system().gpus_per_domain;
  const int entry = enter_dispatch(exchange, domain);
  std::vector<int> before_exit;
  for (int rail = 0; rail < rails; ++rail) {
    const Gpu gpu{domain, rail};
    std::vector<int>& done = dispatch_done_[{domain, rail}];
    done.clear();
    const int notified = notify(exchange, gpu, entry);
    done.push_back(notified);
    const int start = rules.fixed.counts_say_occupancy ? notified : entry;
    std::vector<int> all_ends;
    for (const int channel : all_channels()) {
      std::vector<int> ends;
      for (int source = 0; source < layout_.sources(); ++source) {
        if (!list_awaited(exchange, gpu, source, channel)) continue;
        ends.push_back(forward_list(exchange, gpu, source, channel, start));
      }
      all_ends.insert(all_ends.end(), ends.begin(), ends.end());
      if (ends.empty()) ends.push_back(start);
      close_channel(exchange, gpu, channel, ends);
    }
    if (rules.merges_dispatch_finishes) clear_merged_finishes(exchange, gpu, all_ends);
    before_exit.insert(before_exit.end(), done.begin(), done.end());
  }
  exit_[domain] = program_.add(step(exchange, {domain, 0}, true, "F1 dispatch", "exit barrier",
                                    "all GPUs of " + layout_.ffn_domain(domain) + " have arrived",
                                    before_exit));
  if (rules.fixed.empty_combine_finish == model::Rules::EmptyCombineFinish::after_dispatch_exit) {
    for (int rail = 0; rail < rails; ++rail) {
      const Gpu gpu{domain, rail};
      post_early(exchange, gpu, "F1 dispatch", early_finishes(exchange, gpu, all_channels()),
                 {exit_[domain]});
    }
  }
}

int ExchangeSteps::notify(int exchange, const Gpu& gpu, int entry) {
  int start = entry;
  if (layout_.rules().fixed.ffn_reduces_zero_counts) {
    start = program_.add(step(exchange, gpu, true, "F1 dispatch", "notify",
                              "all CTAs have red-added their zero counts", {entry}));
  }
  Step notify = step(exchange, gpu, true, "F1 dispatch", "notify",
                     "has the counts of all sources, and clears their words", {start});
  for (int source = 0; source < layout_.sources(); ++source) {
    for (int which = 0; which < layout_.system().count_writes; ++which) {
      const int word = program_.signal(layout_.count(gpu, source, which));
      notify.waits.push_back({Condition::finish_at_least, word, 1, -1});
      notify.effects.push_back({Action::clear, word, 1, 0});
    }
  }
  return program_.add(std::move(notify));
}

/// One lane of the channel's forward warp. Rows of different sources are independent steps: that is
/// every order in which the warp may pick them.
int ExchangeSteps::forward_list(int exchange, const Gpu& gpu, int source, int channel, int start) {
  const Rules& rules = layout_.rules();
  const std::vector<int> list = layout_.list(exchange, gpu, source, channel);
  const int tail = program_.signal(layout_.tail(gpu, source, channel));
  const int taken = program_.signal(layout_.taken(gpu, source, channel));
  const std::string warp = "forward warp " + std::to_string(channel);
  int last = start;
  for (int i = 0; i < static_cast<int>(list.size()); ++i) {
    Step forward =
        step(exchange, gpu, true, "F1 dispatch", warp,
             "sees the tail of source " + std::to_string(source) + " past " + std::to_string(i) +
                 ", forwards " + layout_.dispatch_row(gpu, source, channel, i),
             {last});
    forward.waits = {{Condition::tokens_at_least, tail, i + 1, -1}};
    forward.effects = {
        {Action::take, program_.row(layout_.dispatch_row(gpu, source, channel, i)), 0, 0},
        {Action::add, taken, 0, 1}};
    for (int rail = 0; rail < layout_.system().gpus_per_domain; ++rail) {
      if (!layout_.has_expert_at(list[i], rail)) continue;
      const std::string to = layout_.forwarded_row(gpu, rail, source, channel, i);
      forward.effects.push_back({Action::fill, program_.row(to), 0, 0});
    }
    last = program_.add(std::move(forward));
  }
  const auto count = static_cast<int>(list.size());
  const bool own_flag = rules.lists_end_by_flag();
  // The list ends when the flag is there and all tokens published so far are taken: the steps
  // before may be fewer than the source sent, and then the check below fails. With counts it ends
  // by the count.
  const bool by_count = rules.fixed.counts_end_lists;
  Step end = step(exchange, gpu, true, "F1 dispatch", warp,
                  "ends the list of source " + std::to_string(source), {by_count ? last : start});
  if (own_flag) end.waits.push_back({Condition::finish_at_least, tail, 1, -1});
  if (rules.merges_dispatch_finishes) {
    const int merged = program_.signal(layout_.merged_dispatch_finish(gpu, source));
    end.waits.push_back({Condition::finish_at_least, merged, 1, -1});
  }
  if (!by_count) end.waits.push_back({Condition::all_taken, tail, 0, taken});
  if (rules.arrival == Arrival::rows_only && list.empty()) {
    end.waits.push_back({Condition::tokens_at_least, tail, 1, -1});
  }
  end.effects = {{Action::check, tail, own_flag ? 1 : 0, count}};
  return program_.add(std::move(end));
}

std::vector<Effect> ExchangeSteps::clear_tails(int exchange, const Gpu& gpu, int channel) {
  std::vector<Effect> effects;
  const bool own_flag = layout_.rules().lists_end_by_flag();
  for (int source = 0; source < layout_.sources(); ++source) {
    if (!list_awaited(exchange, gpu, source, channel)) continue;
    const auto count = static_cast<int>(layout_.list(exchange, gpu, source, channel).size());
    const int tail = program_.signal(layout_.tail(gpu, source, channel));
    const int taken = program_.signal(layout_.taken(gpu, source, channel));
    effects.push_back({Action::clear, tail, own_flag ? 1 : 0, count});
    effects.push_back({Action::clear, taken, 0, count});
  }
  return effects;
}

void ExchangeSteps::close_channel(int exchange, const Gpu& gpu, int channel,
                                  const std::vector<int>& ends) {
  const Rules& rules = layout_.rules();
  std::vector<int>& done = dispatch_done_[{gpu.domain, gpu.rail}];
  std::vector<int> after = ends;
  if (rules.early_before_tail_clear) {
    const int posted =
        post_early(exchange, gpu, "F1 dispatch", early_finishes(exchange, gpu, {channel}), ends);
    if (posted >= 0) after.push_back(posted);
  }
  Step close = step(exchange, gpu, true, "F1 dispatch", "forward warp " + std::to_string(channel),
                    "publishes its list ends to its peers", after);
  if (rules.tail_clear == TailClear::before_exit_barrier) {
    close.effects = clear_tails(exchange, gpu, channel);
    close.text = "clears its tails with plain stores, publishes its list ends to its peers";
  }
  for (int rail = 0; rail < layout_.system().gpus_per_domain; ++rail) {
    const int word = program_.signal(layout_.list_end(gpu, rail, channel));
    close.effects.push_back({Action::add, word, 1, 0});
  }
  done.push_back(program_.add(std::move(close)));
}

void ExchangeSteps::clear_merged_finishes(int exchange, const Gpu& gpu,
                                          const std::vector<int>& ends) {
  Step clear = step(exchange, gpu, true, "F1 dispatch", "merged finishes",
                    "clears the merged finishes of all sources", ends);
  for (int source = 0; source < layout_.sources(); ++source) {
    const int word = program_.signal(layout_.merged_dispatch_finish(gpu, source));
    clear.effects.push_back({Action::clear, word, 1, 0});
  }
  dispatch_done_[{gpu.domain, gpu.rail}].push_back(program_.add(std::move(clear)));
}

void ExchangeSteps::ffn_copy_epilogue(int exchange, int domain) {
  const int rails = layout_.system().gpus_per_domain;
  for (int rail = 0; rail < rails; ++rail) {
    const Gpu gpu{domain, rail};
    std::vector<int> ended = {exit_[domain]};
    if (layout_.symmetric()) {
      for (const std::vector<int>* half :
           {&dispatched_[{domain, rail}], &combined_[{domain, rail}]})
        ended.insert(ended.end(), half->begin(), half->end());
    }
    Step copy = step(exchange, gpu, true, "F2 copy epilogue", "",
                     "reads all forwarded rows, clears the list ends", std::move(ended));
    for (int from = 0; from < rails; ++from) {
      const Gpu sender{domain, from};
      for (const int channel : all_channels()) {
        const int end = program_.signal(layout_.list_end(sender, rail, channel));
        copy.effects.push_back({Action::clear, end, 1, 0});
        for (int source = 0; source < layout_.sources(); ++source) {
          const std::vector<int> list = layout_.list(exchange, sender, source, channel);
          for (int i = 0; i < static_cast<int>(list.size()); ++i) {
            if (!layout_.has_expert_at(list[i], rail)) continue;
            const std::string row = layout_.forwarded_row(sender, rail, source, channel, i);
            copy.effects.push_back({Action::take, program_.row(row), 0, 0});
          }
        }
      }
    }
    copied_[{domain, rail}] = program_.add(std::move(copy));
  }
}

}  // namespace fanin::model::safety
