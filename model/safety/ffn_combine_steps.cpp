// The FFN GPU's kernel F3 combine: expert rows go over NVLink to the rail that leads home, are
// reduced and staged there, and WRITten to their source; finishes follow. The kernel does not wait
// for its RDMA.
#include <utility>

#include "exchange_steps.hpp"

namespace fanin::model::safety {

void ExchangeSteps::ffn_combine(int exchange, int domain) {
  const int rails = layout_.system().gpus_per_domain;
  const int entry = enter_combine(exchange, domain);
  for (int rail = 0; rail < rails; ++rail) send_expert_rows(exchange, {domain, rail}, entry);
  for (int rail = 0; rail < rails; ++rail) {
    const Gpu gpu{domain, rail};
    for (const int channel : all_channels()) combine_channel(exchange, gpu, channel, entry);
    post_batches(exchange, gpu, entry);
    if (layout_.rules().merges_combine_finishes) post_merged_finish(exchange, gpu);
  }
}

/// The barrier over NVLink at the kernel's entry.
int ExchangeSteps::enter_combine(int exchange, int domain) {
  if (layout_.symmetric()) return combine_entry_.at(domain);
  std::vector<int> arrived;
  for (int rail = 0; rail < layout_.system().gpus_per_domain; ++rail) {
    post_before_entry(exchange, {domain, rail});
    arrived.push_back(copied_[{domain, rail}]);
  }
  return program_.add(step(exchange, {domain, 0}, true, "F3 combine", "entry barrier",
                           "all GPUs of " + layout_.ffn_domain(domain) + " have arrived", arrived));
}

/// When the kernel starts: the designated releases, and with fix 1 at=entry the finishes of pairs
/// without rows.
void ExchangeSteps::post_before_entry(int exchange, const Gpu& gpu) {
  using When = model::Rules::EmptyCombineFinish;
  std::vector<Operation> operations = releases(gpu);
  if (layout_.rules().fixed.empty_combine_finish == When::before_entry_barrier &&
      !layout_.rules().early_before_tail_clear) {
    for (Operation& finish : early_finishes(exchange, gpu, all_channels()))
      operations.push_back(std::move(finish));
  }
  post_early(exchange, gpu, "F3 combine", std::move(operations), {copied_[{gpu.domain, gpu.rail}]});
}

void ExchangeSteps::send_expert_rows(int exchange, const Gpu& gpu, int entry) {
  for (const int channel : all_channels()) {
    Step send = step(exchange, gpu, true, "F3 combine", "scale-up warp " + std::to_string(channel),
                     "sends its experts' rows over NVLink, then the tails", {entry});
    for (int rail = 0; rail < layout_.system().gpus_per_domain; ++rail) {
      const Gpu home{gpu.domain, rail};
      for (int source = 0; source < layout_.sources(); ++source) {
        const std::vector<int> list = layout_.list(exchange, home, source, channel);
        for (int i = 0; i < static_cast<int>(list.size()); ++i) {
          if (!layout_.has_expert_at(list[i], gpu.rail)) continue;
          const std::string row = layout_.expert_row(home, gpu.rail, source, channel, i);
          send.effects.push_back({Action::fill, program_.row(row), 0, 0});
        }
      }
      const int tail = program_.signal(layout_.expert_tail(home, gpu.rail, channel));
      send.effects.push_back({Action::add, tail, 1, 0});
    }
    combined_[{gpu.domain, gpu.rail}].push_back(program_.add(std::move(send)));
  }
}

void ExchangeSteps::combine_channel(int exchange, const Gpu& gpu, int channel, int entry) {
  const Rules& rules = layout_.rules();
  Step combine = step(exchange, gpu, true, "F3 combine", "forward warp " + std::to_string(channel),
                      "has all expert rows of its channel", {entry});
  for (int rail = 0; rail < layout_.system().gpus_per_domain; ++rail) {
    const int tail = program_.signal(layout_.expert_tail(gpu, rail, channel));
    combine.waits.push_back({Condition::finish_at_least, tail, 1, -1});
    combine.effects.push_back({Action::clear, tail, 1, 0});
  }
  std::vector<Operation> rows;
  std::vector<Operation> finishes;
  for (const Gpu& attention : layout_.peers_of_ffn(gpu)) {
    const std::vector<int> list = layout_.list(exchange, gpu, attention.domain, channel);
    for (int i = 0; i < static_cast<int>(list.size()); ++i) {
      for (int rail = 0; rail < layout_.system().gpus_per_domain; ++rail) {
        if (!layout_.has_expert_at(list[i], rail)) continue;
        const std::string row = layout_.expert_row(gpu, rail, attention.domain, channel, i);
        combine.effects.push_back({Action::take, program_.row(row), 0, 0});
      }
      rows.push_back({Operation::Kind::row_write, layout_.combine_context(channel), attention,
                      "combined row of token " + std::to_string(list[i]),
                      layout_.combined_row(attention, gpu.domain, list[i]),
                      layout_.staged_row(gpu, attention.domain, channel, i), 0, 0});
    }
    if (!list.empty() && !rules.merges_combine_finishes) {
      finishes.push_back(combine_finish(gpu, attention, channel, Signal::fetch_add));
    }
  }
  rows.insert(rows.end(), finishes.begin(), finishes.end());
  if (rules.combine_empty_at_end() && !rules.fixed.ffn_batches_empty_finishes) {
    for (Operation& finish : empty_combine_finishes(exchange, gpu, channel)) {
      rows.push_back(std::move(finish));
    }
  }
  std::vector<int>& done = combined_[{gpu.domain, gpu.rail}];
  done.push_back(network_.post(std::move(combine), gpu, true, rows));
  if (rules.tail_clear == TailClear::after_combine_finish) {
    Step clear = step(exchange, gpu, true, "F3 combine", "forward warp " + std::to_string(channel),
                      "clears its tails with plain stores", {done.back()});
    clear.effects = clear_tails(exchange, gpu, channel);
    done.push_back(program_.add(std::move(clear)));
  }
}

Operation ExchangeSteps::combine_finish(const Gpu& gpu, const Gpu& attention, int channel,
                                        Signal signal) const {
  const bool write = signal == Signal::inline_write;
  return {write ? Operation::Kind::signal_write : Operation::Kind::fetch_add,
          layout_.combine_context(channel),
          attention,
          "combine finish",
          layout_.finish(attention, gpu.domain, channel),
          "",
          1,
          0};
}

std::vector<Operation> ExchangeSteps::empty_combine_finishes(int exchange, const Gpu& gpu,
                                                             int channel) const {
  const Rules& rules = layout_.rules();
  std::vector<Operation> operations;
  if (rules.combine_empty() == Signal::none || rules.merges_combine_finishes) return operations;
  for (const Gpu& attention : layout_.peers_of_ffn(gpu)) {
    if (layout_.silent(Phase::combine, gpu.domain, attention.domain)) continue;
    if (!layout_.list(exchange, gpu, attention.domain, channel).empty()) continue;
    operations.push_back(combine_finish(gpu, attention, channel, rules.combine_empty()));
  }
  return operations;
}

std::vector<Operation> ExchangeSteps::releases(const Gpu& gpu) const {
  std::vector<Operation> operations;
  if (!layout_.rules().fixed.designated_release) return operations;
  for (const Gpu& attention : layout_.peers_of_ffn(gpu)) {
    if (layout_.silent(Phase::combine, gpu.domain, attention.domain)) continue;
    operations.push_back({Operation::Kind::fetch_add, 0, attention, "release",
                          layout_.release(attention, gpu.domain), "", 1, 0});
  }
  return operations;
}

/// What fix 1 posts early for those channels.
std::vector<Operation> ExchangeSteps::early_finishes(int exchange, const Gpu& gpu,
                                                     const std::vector<int>& channels) const {
  std::vector<Operation> operations;
  for (const int channel : channels) {
    for (Operation& finish : empty_combine_finishes(exchange, gpu, channel)) {
      if (layout_.rules().fixed.ffn_batches_empty_finishes) finish.context = layout_.cta(channel);
      operations.push_back(std::move(finish));
    }
  }
  return operations;
}

/// The step that posts them; -1 when there is nothing to post.
int ExchangeSteps::post_early(int exchange, const Gpu& gpu, const std::string& kernel,
                              const std::vector<Operation>& operations, std::vector<int> after) {
  if (operations.empty()) return -1;
  Step post = step(exchange, gpu, true, kernel, "early release", "", std::move(after));
  std::vector<int>& done = combined_[{gpu.domain, gpu.rail}];
  done.push_back(network_.post(std::move(post), gpu, true, operations));
  return done.back();
}

/// Fix 5: the empty channels' finishes of a CTA together.
void ExchangeSteps::post_batches(int exchange, const Gpu& gpu, int entry) {
  const Rules& rules = layout_.rules();
  if (!rules.combine_empty_at_end() || !rules.fixed.ffn_batches_empty_finishes) return;
  std::vector<int>& done = combined_[{gpu.domain, gpu.rail}];
  for (int cta = 0; cta < layout_.system().transport_sms; ++cta) {
    std::vector<Operation> batch;
    for (const int channel : all_channels()) {
      if (layout_.cta(channel) != cta) continue;
      for (Operation& finish : empty_combine_finishes(exchange, gpu, channel)) {
        finish.context = cta;
        batch.push_back(std::move(finish));
      }
    }
    if (batch.empty()) continue;
    const std::string warp = "batch of CTA " + std::to_string(cta);
    done.push_back(network_.post(step(exchange, gpu, true, "F3 combine", warp, "", {entry}), gpu,
                                 true, batch));
  }
}

void ExchangeSteps::post_merged_finish(int exchange, const Gpu& gpu) {
  std::vector<int>& done = combined_[{gpu.domain, gpu.rail}];
  std::vector<Operation> merged;
  for (const Gpu& attention : layout_.peers_of_ffn(gpu)) {
    merged.push_back({Operation::Kind::fetch_add, 0, attention, "merged combine finish",
                      layout_.merged_combine_finish(attention, gpu.domain), "", 1, 0});
  }
  done.push_back(network_.post(
      step(exchange, gpu, true, "F3 combine", "merged finish", "", std::vector<int>(done)), gpu,
      true, merged));
}

}  // namespace fanin::model::safety
