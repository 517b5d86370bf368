#include "fanin/calibrate/timeline.hpp"

#include <algorithm>
#include <limits>
#include <set>
#include <tuple>
#include <utility>

#include "fanin/hw/error.hpp"
#include "json_line.hpp"
#include "line_reader.hpp"
#include "record_line.hpp"

namespace fanin::calibrate {
namespace {

/// One line's own fields, by name and type.
class Fields {
 public:
  Fields(const JsonLine& line, const std::string& where) : line_(line), where_(where) {}

  std::optional<double> number(std::string_view name, double low) const {
    const LineValue* value = find(name, LineValue::Kind::number, "a number");
    if (value == nullptr) return std::nullopt;
    if (value->number < low)
      fail(name, std::to_string(value->number), "at least " + std::to_string(low));
    return value->number;
  }
  std::optional<int> whole(std::string_view name) const {
    const auto value = number(name, 0.0);
    if (!value) return std::nullopt;
    const int result = *value <= 1e9 ? static_cast<int>(*value) : -1;
    if (static_cast<double>(result) != *value) fail(name, "no whole number", "0 to 1e9");
    return result;
  }
  std::string text(std::string_view name) const {
    const LineValue* value = find(name, LineValue::Kind::text, "a text");
    return value == nullptr ? std::string{} : value->text;
  }
  [[noreturn]] void fail(std::string_view name, const std::string& what,
                         const std::string& expected) const {
    throw InputError(where_ + ": " + std::string(name), what, expected);
  }

 private:
  const LineValue* find(std::string_view name, LineValue::Kind kind,
                        const std::string& expected) const {
    const LineValue* value = line_.find(name);
    if (value == nullptr || value->kind == LineValue::Kind::null) return nullptr;
    if (value->kind != kind) fail(name, "wrong type", expected);
    return value;
  }

  const JsonLine& line_;
  const std::string& where_;
};

constexpr double kAny = std::numeric_limits<double>::lowest();

/// Where a span or a point was seen.
template <class Row>
void take_place(Row& row, const Fields& fields) {
  row.node = fields.whole("node");
  row.device = fields.whole("device").value_or(0);
  row.role = fields.text("role");
  if (row.role != "ffn" && row.role != "attention")
    fields.fail("role", "'" + row.role + "'", "ffn or attention");
}

TimelineSpan span_of(const Fields& fields) {
  TimelineSpan span;
  take_place(span, fields);
  span.launch_index = fields.whole("launch_index").value_or(0);
  span.kernel = fields.text("kernel");
  span.start_us = fields.number("start_us", kAny);
  span.end_us = fields.number("end_us", kAny);
  if (span.start_us && span.end_us && *span.end_us < *span.start_us) {
    fields.fail("end_us", "before start_us", "at least start_us");
  }
  const auto duration = fields.number("duration_us", 0.0);
  if (!duration && !(span.start_us && span.end_us)) {
    fields.fail("duration_us", "missing", "duration_us, or start_us and end_us, in microseconds");
  }
  span.duration_us = duration ? *duration : *span.end_us - *span.start_us;
  span.grid = fields.whole("grid");
  span.threads = fields.whole("threads");
  return span;
}

TimelinePoint point_of(const Fields& fields) {
  TimelinePoint point;
  take_place(point, fields);
  point.point = fields.text("point");
  const auto time = [&](std::string_view name, double low, const std::string& expected) {
    const auto value = fields.number(name, kAny);
    if (!value) fields.fail(name, "missing", "a time in microseconds");
    if (*value < low) fields.fail(name, std::to_string(*value), expected);
    return *value;
  };
  point.first_us = time("first_us", kAny, "");
  point.median_us = time("median_us", point.first_us, "at least first_us");
  point.last_us = time("last_us", point.median_us, "at least median_us");
  return point;
}

std::string name_of(const Record& record) {
  const model::Exchange& exchange = record.exchange;
  return std::string(to_string(exchange.path)) + "-" + record.protocol + "-" +
         std::to_string(exchange.ffn_ranks) + "f" + std::to_string(exchange.attention_ranks) +
         "a-t" + std::to_string(exchange.tokens) + "-" + std::to_string(exchange.transport_sms) +
         "sm";
}

bool same(const model::Exchange& a, const model::Exchange& b) {
  const auto key = [](const model::Exchange& e) {
    return std::tuple(e.protocol, e.path, e.ffn_ranks, e.attention_ranks, e.gpus_per_domain,
                      e.tokens, e.hidden, e.top_k, e.experts, e.payload, e.transport_sms,
                      e.combine_sms, e.ffn_combine_sms, e.channels_per_sm);
  };
  return key(a) == key(b);
}

/// Collects spans into timelines; looks them up by cluster and name.
class Collector {
 public:
  void add_span(const JsonLine& line, const std::string& where) {
    const Fields fields(line, where);
    TimelineSpan span = span_of(fields);
    Timeline& timeline = find(fields, configuration(line, where, span.node.has_value()), where);
    const auto place =
        std::tuple(timeline.trace, span.node.value_or(-1), span.device, span.launch_index);
    if (span.start_us && !placed_.insert(place).second) {
      fields.fail("launch_index",
                  std::to_string(span.launch_index) + " occurs twice on this device",
                  "each launch once");
    }
    timeline.spans.push_back(std::move(span));
  }

  void add_point(const JsonLine& line, const std::string& where) {
    const Fields fields(line, where);
    TimelinePoint point = point_of(fields);
    Timeline& timeline = find(fields, configuration(line, where, point.node.has_value()), where);
    for (const TimelinePoint& other : timeline.points) {
      if (other.node == point.node && other.device == point.device && other.point == point.point)
        fields.fail("point", "'" + point.point + "' occurs twice on this device", "each step once");
    }
    timeline.points.push_back(std::move(point));
  }

  TimelineSet set;

 private:
  /// A row of several hosts that states no path is hybrid, one of a single host nvlink.
  static Record configuration(const JsonLine& line, const std::string& where, bool hosts) {
    Record row;
    row.id = where;
    take_fields(row, line, where);
    complete_configuration(row, line, where, hosts ? model::Path::hybrid : model::Path::nvlink);
    if (!row.missing.empty()) {
      throw InputError(where + ": " + std::string(row.missing.front()), "missing",
                       "the whole configuration");
    }
    return row;
  }

  Timeline& find(const Fields& fields, const Record& row, const std::string& where) {
    const std::string stated = fields.text("trace");
    const std::string name = stated.empty() ? name_of(row) : stated;
    const auto period = fields.number("period_us", 0.0);
    const auto anchor = fields.whole("anchor_device");
    const auto [it, fresh] = index_.try_emplace({row.cluster, name}, set.timelines.size());
    if (fresh) {
      set.timelines.push_back(
          {name, row.cluster, row.protocol, row.exchange, period, anchor, {}, {}});
      return set.timelines.back();
    }
    Timeline& timeline = set.timelines[it->second];
    if (!same(timeline.exchange, row.exchange) || timeline.protocol != row.protocol ||
        timeline.period_us != period || timeline.anchor_device != anchor) {
      throw InputError(where + ": trace",
                       "'" + name + "' has another configuration or period in an earlier row",
                       "one configuration a trace");
    }
    return timeline;
  }

  std::map<std::pair<std::string, std::string>, std::size_t> index_;
  std::set<std::tuple<std::string, int, int, int>> placed_;
};

}  // namespace

bool TimelineSet::has_points() const {
  return std::any_of(timelines.begin(), timelines.end(),
                     [](const Timeline& timeline) { return !timeline.points.empty(); });
}

TimelineSet read_timelines(const std::vector<std::string>& paths) {
  Collector collector;
  JsonLine line;
  for (const std::string& path : paths) {
    LineReader reader(path);
    while (const std::optional<std::string_view> text = reader.next()) {
      const std::string where = reader.where();
      line.parse(*text, where);
      if (line.find("kernel") != nullptr) {
        collector.add_span(line, where);
      } else if (line.find("point") != nullptr) {
        collector.add_point(line, where);
      } else {
        ++collector.set.skipped["no kernel"];
      }
    }
  }
  return std::move(collector.set);
}

}  // namespace fanin::calibrate
