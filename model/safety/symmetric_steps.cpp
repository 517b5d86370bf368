// What the symmetric exchange adds: its dispatch and combine kernels begin with a barrier over the
// domain's GPUs and, by one signal from each rail peer, over all other domains.
#include "exchange_steps.hpp"

namespace fanin::model::safety {

void ExchangeSteps::enter_all(int exchange, Phase phase, std::map<int, int>& entered) {
  const bool dispatch = phase == Phase::dispatch;
  const std::string kernel = dispatch ? "F1 dispatch" : "F3 combine";
  std::map<int, std::vector<int>> arrived;
  for (const Gpu& gpu : layout_.ffn_gpus()) {
    const Key key{gpu.domain, gpu.rail};
    std::vector<int> before;
    if (!dispatch) {
      post_before_entry(exchange, gpu);
      before.push_back(copied_.at(key));
    } else if (exchange > 0) {
      before.push_back(reduced_.at(key));
    }
    std::vector<Operation> signals;
    for (const Gpu& peer : layout_.peers_of_ffn(gpu)) {
      if (peer.domain == gpu.domain || layout_.rules().enters_alone) continue;
      signals.push_back({Operation::Kind::fetch_add, 0, peer, "entry signal",
                         layout_.entry(peer, phase, gpu.domain), "", 1, 0});
    }
    Step arrive = step(exchange, gpu, true, kernel, "entry", "arrives", std::move(before));
    arrived[gpu.domain].push_back(network_.post(std::move(arrive), gpu, true, signals));
  }
  for (auto& [domain, posts] : arrived) {
    Step enter = step(exchange, {domain, 0}, true, kernel, "entry barrier",
                      "all GPUs of " + layout_.ffn_domain(domain) + " have arrived", posts);
    if (!layout_.rules().enters_alone) {
      enter.text += ", and the signals of all other domains, which it clears";
      for (int rail = 0; rail < layout_.system().gpus_per_domain; ++rail) {
        for (int from = 0; from < layout_.sources(); ++from) {
          if (from == domain) continue;
          const int word = program_.signal(layout_.entry({domain, rail}, phase, from));
          enter.waits.push_back({Condition::finish_at_least, word, 1, -1});
          enter.effects.push_back({Action::clear, word, 1, 0});
        }
      }
    }
    entered[domain] = program_.add(std::move(enter));
  }
}

}  // namespace fanin::model::safety
