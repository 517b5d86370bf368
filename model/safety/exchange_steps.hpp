// Writes the steps of successive exchanges into a program: what each kernel does, in PROTOCOL's
// order. Kernels A2 (finalize) and F4 (complete) touch no shared word, so they have no step.
#pragma once

#include <map>
#include <string>
#include <utility>
#include <vector>

#include "layout.hpp"
#include "network.hpp"

namespace fanin::model::safety {

class ExchangeSteps {
 public:
  ExchangeSteps(const System& system, const Rules& rules)
      : layout_(system, rules), network_(program_, layout_) {}

  Program build();

 private:
  using Key = std::pair<int, int>;  ///< domain, rail

  // Attention GPU: A1 dispatch, A3 collect, A4 reduce.
  void attention_dispatch(int exchange, const Gpu& gpu);
  int gate_of_next_dispatch(int source) const;
  void attention_collect_and_reduce(int exchange, const Gpu& gpu);
  std::vector<Operation> counts(const Gpu& gpu) const;
  std::vector<Operation> rows_and_tails(int exchange, const Gpu& gpu, int channel) const;
  std::vector<Operation> empty_finishes(int exchange, const Gpu& gpu, int channel) const;
  void append_end_of_list(std::vector<Operation>& operations, const Gpu& gpu, const Gpu& ffn,
                          int channel, int residual) const;
  Operation empty_dispatch_finish(const Gpu& gpu, const Gpu& ffn, int channel) const;
  std::vector<std::string> awaited_words(int exchange, const Gpu& gpu) const;

  // FFN domain: F1 dispatch, F2 copy epilogue, F3 combine.
  int enter_dispatch(int exchange, int domain);
  void ffn_dispatch(int exchange, int domain);
  int notify(int exchange, const Gpu& gpu, int entry);
  int forward_list(int exchange, const Gpu& gpu, int source, int channel, int start);
  void close_channel(int exchange, const Gpu& gpu, int channel, const std::vector<int>& ends);
  void clear_merged_finishes(int exchange, const Gpu& gpu, const std::vector<int>& ends);
  std::vector<Effect> clear_tails(int exchange, const Gpu& gpu, int channel);
  void ffn_copy_epilogue(int exchange, int domain);
  int enter_combine(int exchange, int domain);
  void ffn_combine(int exchange, int domain);
  void send_expert_rows(int exchange, const Gpu& gpu, int entry);
  void combine_channel(int exchange, const Gpu& gpu, int channel, int entry);
  void post_before_entry(int exchange, const Gpu& gpu);
  std::vector<Operation> early_finishes(int exchange, const Gpu& gpu,
                                        const std::vector<int>& channels) const;
  int post_early(int exchange, const Gpu& gpu, const std::string& kernel,
                 const std::vector<Operation>& operations, std::vector<int> after);
  void post_batches(int exchange, const Gpu& gpu, int entry);
  void post_merged_finish(int exchange, const Gpu& gpu);
  std::vector<Operation> empty_combine_finishes(int exchange, const Gpu& gpu, int channel) const;
  std::vector<Operation> releases(const Gpu& gpu) const;
  Operation combine_finish(const Gpu& gpu, const Gpu& attention, int channel, Signal signal) const;

  // A symmetric kernel's entry: every GPU of a domain, and every other domain, has arrived.
  void enter_all(int exchange, Phase phase, std::map<int, int>& entered);

  Step step(int exchange, const Gpu& gpu, bool is_ffn, const std::string& kernel,
            const std::string& warp, const std::string& text, std::vector<int> after);
  bool list_awaited(int exchange, const Gpu& gpu, int source, int channel) const;
  std::vector<int> all_channels() const;

  Program program_;
  Layout layout_;
  Network network_;
  std::map<Key, std::vector<int>> dispatched_;  ///< Attention GPU: its last A1's posts
  std::map<Key, int> reduced_;                  ///< Attention GPU: its last A4
  std::map<Key, std::vector<int>>
      dispatch_done_;          ///< FFN GPU: what this F1's exit barrier waits for
  std::map<Key, int> copied_;  ///< FFN GPU: this exchange's F2
  std::map<int, int> exit_;    ///< FFN domain: this exchange's exit barrier
  std::map<Key, std::vector<int>>
      combined_;                       ///< FFN GPU: this F3's steps, which the next F1 follows
  std::map<int, int> dispatch_entry_;  ///< symmetric domain: its kernels' entry barriers
  std::map<int, int> combine_entry_;
};

}  // namespace fanin::model::safety
