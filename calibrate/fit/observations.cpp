#include "observations.hpp"

#include <algorithm>
#include <cmath>
#include <limits>
#include <set>
#include <sstream>

namespace fanin::calibrate {
namespace {

/// Traced periods of at most this many tokens are longer than untraced ones (recorded data).
constexpr int kOverheadTokens = 128;
constexpr double kKernelShareOfPeriod = 0.03;

std::string key_of(const model::Exchange& e) {
  std::ostringstream key;
  key.precision(17);
  const auto maybe = [&](const std::optional<int>& value) {
    key << (value ? std::to_string(*value) : "-") << ' ';
  };
  key << to_string(e.protocol) << ' ' << to_string(e.path) << ' ' << e.ffn_ranks << ' '
      << e.attention_ranks << ' ' << e.gpus_per_domain << ' ' << e.tokens << ' ' << e.hidden << ' '
      << e.top_k << ' ' << e.experts << ' ' << e.capacity << ' ' << to_string(e.payload) << ' '
      << e.transport_sms << ' ' << e.attention_combine_sms() << ' ' << e.ffn_combine_sms_used()
      << ' ' << e.channels_per_sm << ' ' << e.tail_interval << ' ' << e.queue_depth << ' '
      << to_string(e.exit) << ' ' << e.collect_view << ' ' << e.combine_flush << ' '
      << to_string(e.variant) << ' ' << e.payload_start_delay_us << ' ' << e.gemm_solo_us << ' '
      << to_string(e.gemm_on) << ' ' << model::fixes_to_string(e.fixes) << ' '
      << static_cast<const void*>(e.routing.get()) << ' ';
  maybe(e.queues);
  maybe(e.outstanding);
  key << e.one_gpu << ' ';
  maybe(e.attention_sms);
  maybe(e.copy_ctas);
  maybe(e.reduce_ctas);
  return key.str();
}

class Builder {
 public:
  explicit Builder(const CalibrationOptions& options) : options_(options) {}

  void add(const Record& record, std::size_t index) {
    Observation item;
    item.exchange = exchange(record.exchange);
    item.measured_us = item.period_us = record.median_us;
    item.deviation_us = record.median_us * options_.noise_pct / 100.0;
    item.record = index;
    result_.items.push_back(item);
  }

  void add(const Timeline& timeline, std::size_t index) {
    if (options_.timeline_rows <= 0.0) return;
    std::map<std::string, std::set<int>> devices;
    double longest = 0.0;
    std::size_t numbers = timeline.period_us ? 1 : 0;
    for (const TimelineSpan& span : timeline.spans) {
      devices[span.role].insert(device(timeline, span));
      longest = std::max(longest, span.duration_us);
      numbers += span.start_us ? 2 : 1;
    }
    for (const TimelinePoint& point : timeline.points) {
      devices[point.role].insert(device(timeline, point));
      longest = std::max(longest, point.last_us);
    }
    Observation item;
    item.exchange = exchange(timeline.exchange);
    item.record = index;
    item.period_us = timeline.period_us.value_or(longest);
    const auto ordinal = [&](const auto& row) {
      const std::set<int>& of_role = devices[row.role];
      return static_cast<int>(std::distance(of_role.begin(), of_role.find(device(timeline, row))));
    };
    const double deviation =
        std::max(options_.kernel_noise_us, kKernelShareOfPeriod * item.period_us);
    item.weight = weight_of_one(3 * timeline.points.size());
    for (const TimelinePoint& point : timeline.points) {
      item.role = point.role;
      item.ordinal = ordinal(point);
      item.point = point.point;
      push(item, Quantity::first, point.first_us, deviation);
      push(item, Quantity::median, point.median_us, deviation);
      push(item, Quantity::last, point.last_us, deviation);
    }
    item.point.clear();
    item.weight = weight_of_one(numbers);
    item.traced = true;
    if (timeline.period_us) {
      push(item, Quantity::period, *timeline.period_us,
           *timeline.period_us * options_.noise_pct / 100.0);
    }
    for (const TimelineSpan& span : timeline.spans) {
      item.role = span.role;
      item.ordinal = ordinal(span);
      item.launch_index = span.launch_index;
      if (span.start_us && span.end_us) {
        push(item, Quantity::start, *span.start_us, deviation);
        push(item, Quantity::end, *span.end_us, deviation);
      } else {
        push(item, Quantity::duration, span.duration_us, deviation);
      }
    }
  }

  Observations result() { return std::move(result_); }

 private:
  template <class Row>
  static int device(const Timeline& timeline, const Row& row) {
    return row.node.value_or(0) * timeline.exchange.gpus_per_domain + row.device;
  }

  double weight_of_one(std::size_t numbers) const {
    return numbers == 0 ? 0.0 : std::sqrt(options_.timeline_rows / static_cast<double>(numbers));
  }

  void push(Observation item, Quantity quantity, double measured, double deviation) {
    item.quantity = quantity;
    item.measured_us = measured;
    item.deviation_us = deviation;
    result_.items.push_back(std::move(item));
  }

  std::size_t exchange(const model::Exchange& exchange) {
    const auto [it, added] = index_.try_emplace(key_of(exchange), result_.exchanges.size());
    if (added) result_.exchanges.push_back(exchange);
    return it->second;
  }

  const CalibrationOptions& options_;
  Observations result_;
  std::map<std::string, std::size_t> index_;
};

}  // namespace

Observations observe(const std::vector<Record>& records, const std::vector<Timeline>& timelines,
                     const CalibrationOptions& options) {
  Builder builder(options);
  for (std::size_t i = 0; i < records.size(); ++i) builder.add(records[i], i);
  for (std::size_t i = 0; i < timelines.size(); ++i) builder.add(timelines[i], i);
  return builder.result();
}

namespace {

/// The device that is number `ordinal` of those of its role in the prediction; −1 without any.
template <class Row>
int device_of(const Observation& item, const std::vector<Row>& rows) {
  std::set<int> devices;
  for (const Row& row : rows) {
    if (row.role == item.role) devices.insert(row.device);
  }
  if (devices.empty()) return -1;
  return *std::next(devices.begin(), item.ordinal % static_cast<int>(devices.size()));
}

double point_us(const Observation& item, const std::vector<model::PointTimes>& points) {
  const int device = device_of(item, points);
  for (const model::PointTimes& point : points) {
    if (point.role != item.role || point.device != device || point.point != item.point) continue;
    if (item.quantity == Quantity::first) return point.first.us();
    return (item.quantity == Quantity::median ? point.median : point.last).us();
  }
  return std::numeric_limits<double>::quiet_NaN();
}

}  // namespace

double predicted_us(const Observation& item, const Prediction& prediction,
                    const model::Exchange& exchange, double trace_overhead) {
  const double factor = item.traced && exchange.tokens <= kOverheadTokens ? trace_overhead : 1.0;
  if (item.quantity == Quantity::period) return factor * prediction.exchange_us;
  if (!item.point.empty()) return point_us(item, prediction.points);
  const int device = device_of(item, prediction.kernels);
  for (const model::KernelSpan& span : prediction.kernels) {
    if (span.role != item.role || span.device != device || span.launch_index != item.launch_index)
      continue;
    switch (item.quantity) {
      case Quantity::start: return factor * span.start.us();
      case Quantity::end: return factor * span.end.us();
      case Quantity::duration: return factor * (span.end - span.start).us();
      default: break;
    }
  }
  return std::numeric_limits<double>::quiet_NaN();
}

}  // namespace fanin::calibrate
