#include "exchange_steps.hpp"

#include <numeric>
#include <utility>

namespace fanin::model::safety {

Program ExchangeSteps::build() {
  for (int exchange = 0; exchange < layout_.system().exchanges(); ++exchange) {
    const bool symmetric = layout_.symmetric();
    if (symmetric) enter_all(exchange, Phase::dispatch, dispatch_entry_);
    for (const Gpu& gpu : layout_.attention_gpus()) attention_dispatch(exchange, gpu);
    for (int domain = 0; domain < layout_.ffn_domains(); ++domain) {
      ffn_dispatch(exchange, domain);
      ffn_copy_epilogue(exchange, domain);
    }
    if (symmetric) enter_all(exchange, Phase::combine, combine_entry_);
    for (int domain = 0; domain < layout_.ffn_domains(); ++domain) ffn_combine(exchange, domain);
    for (const Gpu& gpu : layout_.attention_gpus()) attention_collect_and_reduce(exchange, gpu);
  }
  return std::move(program_);
}

Step ExchangeSteps::step(int exchange, const Gpu& gpu, bool is_ffn, const std::string& kernel,
                         const std::string& warp, const std::string& text, std::vector<int> after) {
  Step result;
  // The role kernels' numbers (A1, F1 …) mean nothing where every GPU runs all.
  result.actor = (is_ffn ? layout_.ffn(gpu) : layout_.attention(gpu)) + " " +
                 (layout_.symmetric() ? kernel.substr(3) : kernel) +
                 (warp.empty() ? "" : " " + warp);
  result.text = text;
  result.exchange = exchange;
  result.gpu = layout_.gpu_group(gpu, is_ffn);
  result.queue = network_.group(result.actor);
  result.after = std::move(after);
  return result;
}

std::vector<int> ExchangeSteps::all_channels() const {
  std::vector<int> channels(layout_.rules().channels);
  std::iota(channels.begin(), channels.end(), 0);
  return channels;
}

}  // namespace fanin::model::safety
