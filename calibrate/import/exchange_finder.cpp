#include "exchange_finder.hpp"

#include <algorithm>

namespace fanin::calibrate {
namespace {

constexpr std::size_t kReorder = 8192;
constexpr std::size_t kSpans = 256;
constexpr std::size_t kUnknownNames = 200;

/// A kernel's name without return type, arguments and template parameters.
std::string short_name(std::string_view name) {
  std::string_view head = name.substr(0, name.find_first_of("<("));
  const std::size_t space = head.find_last_of(' ');
  if (space != std::string_view::npos) head.remove_prefix(space + 1);
  return std::string((head.empty() ? name : head).substr(0, 80));
}

}  // namespace

void ExchangeFinder::add(std::string_view name, const KernelEvent& event) {
  // A tracer writes zero for what it could not time; differences of sane times cannot overflow.
  const bool sane = event.start_ns > 0 && event.end_ns <= INT64_MAX / 4;
  if (!sane || event.end_ns < event.start_ns) {
    ++skipped_["kernels without a time"];
    return;
  }
  const KernelKind* kind = table_.find(name);
  if (kind == nullptr) {
    ++skipped_["kernels that the table does not name"];
    if (unknown_.size() < kUnknownNames) ++unknown_[short_name(name)];
    return;
  }
  const Device device{event.process, event.device};
  State& state = states_[device];
  state.waiting.push({{kind, event.start_ns, event.end_ns, event.grid, event.threads}, order_++});
  if (state.waiting.size() <= kReorder) return;
  const ExchangeSpan span = state.waiting.top().span;
  state.waiting.pop();
  take(device, state, span);
}

void ExchangeFinder::take(const Device& device, State& state, const ExchangeSpan& span) {
  if (span.start_ns < state.latest_ns) {
    ++skipped_["kernels out of order"];
    return;
  }
  state.latest_ns = span.start_ns;
  if (span.kind->anchor) {
    if (state.started) close(device, state, span.start_ns);
    state.started = true;
    state.open = TracedExchange{span.start_ns, 0, {}};
  }
  if (!state.started) {
    ++skipped_["kernels before the first anchor"];
  } else if (state.open.spans.size() == kSpans) {
    ++skipped_["kernels past the 256th of an exchange"];
  } else {
    state.open.spans.push_back(span);
  }
}

void ExchangeFinder::close(const Device& device, State& state, std::int64_t next_ns) {
  DeviceTrace& trace = devices_[device];
  state.open.period_ns = next_ns - state.open.start_ns;
  trace.exchanges.push_back(std::move(state.open));
  ++trace.total;
  if (trace.exchanges.size() > static_cast<std::size_t>(last_)) trace.exchanges.pop_front();
}

void ExchangeFinder::finish() {
  for (auto& [device, state] : states_) {
    for (; !state.waiting.empty(); state.waiting.pop())
      take(device, state, state.waiting.top().span);
    if (state.started) ++skipped_["last exchange of a device, which has no successor"];
  }
}

std::string ExchangeFinder::unknown_kernels() const {
  std::vector<std::pair<std::size_t, std::string_view>> names;
  for (const auto& [name, count] : unknown_) names.emplace_back(count, name);
  std::sort(names.rbegin(), names.rend());
  std::string text;
  for (std::size_t i = 0; i < std::min<std::size_t>(names.size(), 8); ++i) {
    text += (text.empty() ? "" : " ") + std::string(names[i].second);
  }
  return text;
}

}  // namespace fanin::calibrate
