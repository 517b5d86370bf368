#include "network.hpp"

#include <utility>

namespace fanin::model::safety {
namespace {

std::string with_tokens(const Operation& operation) {
  if (operation.tokens == 0) return operation.what;
  return operation.what + " (+" + std::to_string(operation.tokens) + " tokens)";
}

std::string verb(const Operation& operation) {
  switch (operation.kind) {
    case Operation::Kind::row_write: return "WRITE";
    case Operation::Kind::signal_write: return "WRITE";
    case Operation::Kind::fetch_add: return "fetch-add";
  }
  return {};
}

}  // namespace

int Network::group(const std::string& name) {
  return groups_.try_emplace(name, static_cast<int>(groups_.size())).first->second;
}

/// A symmetric GPU's signals to itself stay in its memory.
bool Network::is_local(const Gpu& sender, const Operation& operation) const {
  return layout_->symmetric() && operation.peer.domain == sender.domain;
}

Effect Network::signal_effect(const Operation& operation) {
  const bool write = operation.kind == Operation::Kind::signal_write;
  return {write ? Action::put : Action::add, program_->signal(operation.destination),
          operation.finish, operation.tokens};
}

int Network::post(Step step, const Gpu& sender, bool from_ffn,
                  const std::vector<Operation>& operations) {
  std::string posted;
  int last_context = -1;
  for (const Operation& operation : operations) {
    posted += posted.empty() ? "posts " : ", ";
    posted += verb(operation) + " of " + with_tokens(operation);
    if (operation.context != last_context)
      posted += " on context " + std::to_string(operation.context);
    last_context = operation.context;
    if (operation.kind == Operation::Kind::row_write) {
      step.effects.push_back({Action::fill, program_->row(operation.source), 0, 0});
    } else if (is_local(sender, operation)) {
      step.effects.push_back(signal_effect(operation));
    }
  }
  if (!posted.empty()) step.text += (step.text.empty() ? "" : "; ") + posted;
  const int exchange = step.exchange;
  const int poster = program_->add(std::move(step));
  for (const Operation& operation : operations) {
    if (!is_local(sender, operation)) add_visible(poster, exchange, sender, from_ffn, operation);
  }
  return poster;
}

void Network::add_visible(int poster, int exchange, const Gpu& sender, bool from_ffn,
                          const Operation& operation) {
  const std::string from = from_ffn ? layout_->ffn(sender) : layout_->attention(sender);
  const std::string to =
      from_ffn ? layout_->attention(operation.peer) : layout_->ffn(operation.peer);
  Step step;
  step.actor = "network " + from + " → " + to + ", context " + std::to_string(operation.context);
  step.exchange = exchange;
  step.network = true;
  step.gpu = layout_->nic_group(sender, from_ffn);
  step.queue = group(step.actor);
  step.after = {poster};
  std::vector<Posted>& queue = queues_[step.actor];
  const bool relaxed = layout_->rules().relaxed_ordering;
  if (operation.kind == Operation::Kind::fetch_add) {
    // Only operations that surely were posted before: other warps' posts to a shared queue may fall
    // on either side, and leaving them out allows both.
    for (const Posted& earlier : queue) {
      const bool before = earlier.poster == poster || program_->precedes(earlier.poster, poster);
      const bool write = earlier.kind != Operation::Kind::fetch_add;
      if (before && !(relaxed && write)) step.after.push_back(earlier.visible);
    }
  }
  if (operation.kind == Operation::Kind::row_write) {
    step.text = "WRITE of the " + operation.what + " becomes visible in " + operation.destination;
    step.effects = {{Action::take, program_->row(operation.source), 0, 0},
                    {Action::fill, program_->row(operation.destination), 0, 0}};
  } else {
    const bool write = operation.kind == Operation::Kind::signal_write;
    step.text = (write ? "WRITE of " : "fetch-add of ") + with_tokens(operation) +
                " becomes visible in " + operation.destination;
    step.effects = {signal_effect(operation)};
  }
  const Operation::Kind kind = operation.kind;
  const int visible = program_->add(std::move(step));
  queue.push_back({poster, visible, kind});
}

}  // namespace fanin::model::safety
