// Cuts the kernels of each device into exchanges, and keeps the last few of them.
#pragma once

#include <cstdint>
#include <deque>
#include <map>
#include <queue>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "fanin/calibrate/import.hpp"
#include "kernel_table.hpp"

namespace fanin::calibrate {

struct KernelEvent {
  int process = 0;  ///< file or host process
  int device = 0;   ///< within its process
  std::int64_t start_ns = 0;
  std::int64_t end_ns = 0;
  int grid = 0;     ///< CTAs
  int threads = 0;  ///< of one CTA
};

struct ExchangeSpan {
  const KernelKind* kind = nullptr;
  std::int64_t start_ns = 0;
  std::int64_t end_ns = 0;
  int grid = 0;
  int threads = 0;
};

/// From one anchor on a device to the next.
struct TracedExchange {
  std::int64_t start_ns = 0;
  std::int64_t period_ns = 0;
  std::vector<ExchangeSpan> spans;
};

struct DeviceTrace {
  std::deque<TracedExchange> exchanges;  ///< the last ones that have a successor
  std::size_t total = 0;                 ///< all that had one
};

class ExchangeFinder {
 public:
  using Device = std::pair<int, int>;  ///< process, device

  ExchangeFinder(const KernelTable& table, int last) : table_(table), last_(last) {}

  /// Kernels may come out of order by some thousands of events on a device; later ones than that
  /// are left out and counted.
  void add(std::string_view name, const KernelEvent& event);

  /// Takes what is still waiting. Call once, after the last add.
  void finish();

  const std::map<Device, DeviceTrace>& devices() const { return devices_; }

  /// What was left out, by reason.
  const std::map<std::string, std::size_t>& skipped() const { return skipped_; }

  /// Some names of kernels that no row of the table matches, for messages.
  std::string unknown_kernels() const;

 private:
  struct Waiting {
    ExchangeSpan span;
    std::uint64_t order;
    /// Reversed, so that the earliest is on top of the queue.
    bool operator<(const Waiting& other) const {
      return span.start_ns != other.span.start_ns ? span.start_ns > other.span.start_ns
                                                  : order > other.order;
    }
  };
  struct State {
    std::priority_queue<Waiting> waiting;
    TracedExchange open;
    bool started = false;
    std::int64_t latest_ns = INT64_MIN;
  };

  void take(const Device& device, State& state, const ExchangeSpan& span);
  void close(const Device& device, State& state, std::int64_t next_ns);

  const KernelTable& table_;
  int last_;
  std::map<Device, State> states_;
  std::map<Device, DeviceTrace> devices_;
  std::map<std::string, std::size_t> skipped_;
  std::map<std::string, std::size_t, std::less<>> unknown_;
  std::uint64_t order_ = 0;
};

}  // namespace fanin::calibrate
