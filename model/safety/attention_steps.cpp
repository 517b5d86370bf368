// The Attention GPU's kernels: A1 dispatch posts everything without waiting, A3 collect waits for
// the FFN's signals and clears them, A4 reduce reads the rows that came back.
#include "exchange_steps.hpp"

namespace fanin::model::safety {

/// The source after whose reduce this one starts its next dispatch.
int ExchangeSteps::gate_of_next_dispatch(int source) const {
  switch (layout_.rules().next_dispatch) {
    case NextDispatch::own_reduce: return source;
    case NextDispatch::reduce_of_first_source: return 0;
    case NextDispatch::reduce_of_next_source: return (source + 1) % layout_.system().sources;
  }
  return source;
}

void ExchangeSteps::attention_dispatch(int exchange, const Gpu& gpu) {
  const Rules& rules = layout_.rules();
  const Key key{gpu.domain, gpu.rail};
  std::vector<int> start = dispatched_[key];
  if (layout_.symmetric()) {
    start = {dispatch_entry_.at(gpu.domain)};
  } else if (exchange > 0) {
    const int source = gate_of_next_dispatch(gpu.domain);
    start.push_back(reduced_.at({source, gpu.rail}));
  }
  std::vector<int>& posts = dispatched_[key];
  posts.clear();
  const auto post = [&](const std::string& warp, const std::vector<int>& after,
                        const std::vector<Operation>& operations) {
    posts.push_back(network_.post(step(exchange, gpu, false, "A1 dispatch", warp, "", after), gpu,
                                  false, operations));
  };
  post("notify", start, counts(gpu));
  const std::vector<int> payload_start = rules.fixed.counts_say_occupancy ? posts : start;
  for (const int channel : all_channels()) {
    std::vector<Operation> operations = rows_and_tails(exchange, gpu, channel);
    if (!rules.fixed.attention_batches_empty_finishes) {
      for (Operation& finish : empty_finishes(exchange, gpu, channel)) {
        operations.push_back(std::move(finish));
      }
    }
    if (!operations.empty()) post("channel " + std::to_string(channel), payload_start, operations);
  }
  if (rules.fixed.attention_batches_empty_finishes) {
    for (int cta = 0; cta < layout_.system().transport_sms; ++cta) {
      std::vector<Operation> batch;
      for (const int channel : all_channels()) {
        if (layout_.cta(channel) != cta) continue;
        for (Operation& finish : empty_finishes(exchange, gpu, channel)) {
          finish.context = 1 + cta;
          batch.push_back(std::move(finish));
        }
      }
      if (!batch.empty()) post("batch of CTA " + std::to_string(cta), payload_start, batch);
    }
  }
  if (rules.merges_dispatch_finishes) {
    std::vector<Operation> merged;
    for (const Gpu& ffn : layout_.peers_of_attention(gpu)) {
      merged.push_back({Operation::Kind::fetch_add, 0, ffn, "merged finish",
                        layout_.merged_dispatch_finish(ffn, gpu.domain), "", 1, 0});
    }
    post("merged finish", std::vector<int>(posts), merged);
  }
}

std::vector<Operation> ExchangeSteps::counts(const Gpu& gpu) const {
  std::vector<Operation> operations;
  for (const Gpu& ffn : layout_.peers_of_attention(gpu)) {
    for (int which = 0; which < layout_.system().count_writes; ++which) {
      operations.push_back({Operation::Kind::signal_write, 0, ffn, "count " + std::to_string(which),
                            layout_.count(ffn, gpu.domain, which), "", 1, 0});
    }
  }
  return operations;
}

std::vector<Operation> ExchangeSteps::rows_and_tails(int exchange, const Gpu& gpu,
                                                     int channel) const {
  std::vector<Operation> operations;
  const int context = layout_.dispatch_context(channel);
  const int interval = layout_.system().tail_interval;
  for (const Gpu& ffn : layout_.peers_of_attention(gpu)) {
    const std::vector<int> list = layout_.list(exchange, ffn, gpu.domain, channel);
    int unpublished = 0;
    for (std::size_t i = 0; i < list.size(); ++i) {
      const auto index = static_cast<int>(i);
      operations.push_back({Operation::Kind::row_write, context, ffn,
                            "row of token " + std::to_string(list[i]),
                            layout_.dispatch_row(ffn, gpu.domain, channel, index),
                            layout_.send_row(gpu, ffn.domain, channel, index), 0, 0});
      if (++unpublished < interval) continue;
      operations.push_back({Operation::Kind::fetch_add, context, ffn, "tail",
                            layout_.tail(ffn, gpu.domain, channel), "", 0, unpublished});
      unpublished = 0;
    }
    if (!list.empty()) append_end_of_list(operations, gpu, ffn, channel, unpublished);
  }
  return operations;
}

void ExchangeSteps::append_end_of_list(std::vector<Operation>& operations, const Gpu& gpu,
                                       const Gpu& ffn, int channel, int residual) const {
  const Rules& rules = layout_.rules();
  const bool flag = rules.lists_end_by_flag();
  if (!flag && residual == 0) return;
  operations.push_back(
      {rules.inline_used_finish ? Operation::Kind::signal_write : Operation::Kind::fetch_add,
       layout_.dispatch_context(channel), ffn, flag ? "finish" : "last tail",
       layout_.tail(ffn, gpu.domain, channel), "", flag ? 1 : 0, residual});
}

std::vector<Operation> ExchangeSteps::empty_finishes(int exchange, const Gpu& gpu,
                                                     int channel) const {
  const Rules& rules = layout_.rules();
  std::vector<Operation> operations;
  if (rules.dispatch_empty() == Signal::none || rules.merges_dispatch_finishes) return operations;
  for (const Gpu& ffn : layout_.peers_of_attention(gpu)) {
    if (layout_.silent(Phase::dispatch, gpu.domain, ffn.domain)) continue;
    if (!layout_.list(exchange, ffn, gpu.domain, channel).empty()) continue;
    operations.push_back(empty_dispatch_finish(gpu, ffn, channel));
  }
  return operations;
}

Operation ExchangeSteps::empty_dispatch_finish(const Gpu& gpu, const Gpu& ffn, int channel) const {
  const bool write = layout_.rules().dispatch_empty() == Signal::inline_write;
  return {write ? Operation::Kind::signal_write : Operation::Kind::fetch_add,
          layout_.dispatch_context(channel),
          ffn,
          "empty finish",
          layout_.tail(ffn, gpu.domain, channel),
          "",
          1,
          0};
}

std::vector<std::string> ExchangeSteps::awaited_words(int exchange, const Gpu& gpu) const {
  const Rules& rules = layout_.rules();
  std::vector<std::string> words;
  for (const Gpu& ffn : layout_.peers_of_attention(gpu)) {
    if (rules.merges_combine_finishes) {
      words.push_back(layout_.merged_combine_finish(gpu, ffn.domain));
      continue;
    }
    const bool silent = layout_.silent(Phase::combine, ffn.domain, gpu.domain);
    for (const int channel : all_channels()) {
      const bool empty = layout_.list(exchange, ffn, gpu.domain, channel).empty();
      if (empty && (silent || rules.combine_empty() == Signal::none)) continue;
      words.push_back(layout_.finish(gpu, ffn.domain, channel));
    }
    if (rules.fixed.designated_release && !silent)
      words.push_back(layout_.release(gpu, ffn.domain));
  }
  return words;
}

void ExchangeSteps::attention_collect_and_reduce(int exchange, const Gpu& gpu) {
  const Key key{gpu.domain, gpu.rail};
  std::vector<int> start;
  if (layout_.symmetric()) start.push_back(combine_entry_.at(gpu.domain));
  if (exchange > 0) start.push_back(reduced_.at(key));
  if (!layout_.system().launch_overlap) {
    start.insert(start.end(), dispatched_[key].begin(), dispatched_[key].end());
  }
  // Waiting and clearing are one step: nothing of this GPU runs between them, and since a wait
  // stays true, running the step later stands for any delay of the stores.
  const std::vector<std::string> words = awaited_words(exchange, gpu);
  Step collect =
      step(exchange, gpu, false, "A3 collect", "",
           words.empty() ? "waits for no word" : "has seen and clears", std::move(start));
  for (const std::string& name : words) {
    collect.text += (name == words.front() ? " " : ", ") + name;
    const int word = program_.signal(name);
    collect.waits.push_back({Condition::finish_at_least, word, 1, -1});
    collect.effects.push_back({Action::clear, word, 1, 0});
  }
  const int collected = program_.add(std::move(collect));

  std::vector<int> combined = {collected};
  if (layout_.symmetric()) {
    const std::vector<int>& sent = combined_[key];
    combined.insert(combined.end(), sent.begin(), sent.end());
  }
  Step reduce = step(exchange, gpu, false, "A4 reduce", "", "reads", std::move(combined));
  bool any = false;
  for (const Gpu& ffn : layout_.peers_of_attention(gpu)) {
    for (const int token : layout_.tokens(exchange, gpu, ffn.domain)) {
      const std::string name = layout_.combined_row(gpu, ffn.domain, token);
      reduce.text += (any ? ", " : " ") + name;
      reduce.effects.push_back({Action::take, program_.row(name), 0, 0});
      any = true;
    }
  }
  if (!any) reduce.text = "has no token to sum";
  reduced_[key] = program_.add(std::move(reduce));
}

}  // namespace fanin::model::safety
